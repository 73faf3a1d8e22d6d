from linpoint_model import serve

def step(holder, op, args, process):
    if op == "acquire":
        return ("ok", process) if holder is None else None  # waits
    if op == "try_acquire":
        return (True, process) if holder is None else (False, holder)
    return ("ok", None) if holder == process else None

serve("lock", init=None, step=step, process=True, ops=[["acquire"], ["try_acquire"], ["release"]])
