import { serve } from "./linpoint_model.mjs";

serve({
  name: "bank",
  reads: ["read_all"],
  ops: [["transfer", "a1", "a2", "$amount"], ["transfer", "a2", "a3", 60], ["read_all"]],
  init: () => ({ a1: 100, a2: 100, a3: 100, a4: 100 }),
  step(state, op, args) {
    if (op === "read_all") return [[state, state]];
    const [from, to, amount] = args;
    const done = from in state && to in state && amount >= 0 && state[from] >= amount;
    if (done) {
      state[from] -= amount;
      state[to] += amount;
    }
    return [[done, state]];
  },
});
