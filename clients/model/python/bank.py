from linpoint_model import serve

def step(state, op, args):
    if op == "read_all":
        return state, state
    source, target, amount = args
    if source not in state or target not in state or amount < 0 or state[source] < amount:
        return False, state
    state[source] -= amount
    state[target] += amount
    return True, state

serve("bank", init={"a1": 100, "a2": 100, "a3": 100, "a4": 100}, step=step, reads=["read_all"],
      ops=[["transfer", "a1", "a2", "$amount"], ["transfer", "a2", "a3", 60], ["read_all"]])
