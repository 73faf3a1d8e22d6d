package main

func step(state map[string]int, op string, args []any, _ int) []Outcome[map[string]int] {
	if op == "read_all" {
		return []Outcome[map[string]int]{{state, state}}
	}
	from, to, amount := args[0].(string), args[1].(string), int(args[2].(float64))
	_, known := state[to]
	balance, payer := state[from]
	done := known && payer && amount >= 0 && balance >= amount
	if done {
		state[from] -= amount
		state[to] += amount
	}
	return []Outcome[map[string]int]{{done, state}}
}

func main() {
	start := func() map[string]int { return map[string]int{"a1": 100, "a2": 100, "a3": 100, "a4": 100} }
	Serve(Model[map[string]int]{Name: "bank", Init: start, Step: step, Reads: []string{"read_all"},
		Ops: []any{[]any{"transfer", "a1", "a2", "$amount"}, []any{"transfer", "a2", "a3", 60}, []any{"read_all"}}})
}
