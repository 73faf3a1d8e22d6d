// A model for linpoint in Go: one file, no dependencies. Copy it next to your model.
//
// States are any Go values that encoding/json can write and read; two states are equal if their JSON is. Run the model
// with: linpoint check --model-command ./bank run.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Outcome is a result of an operation and the state after it.
type Outcome[S any] struct {
	Result any
	State  S
}

// Model says what a service does if it is used by one client at a time. Only Name, Init and Step are needed.
type Model[S any] struct {
	Name, Version, About string
	// Init is the state before the first operation. The options that were given have been stored in Options.
	Init func() S
	// Step gives all outcomes; none if the operation has to wait. The state is a copy and may be changed.
	Step func(state S, op string, args []any, process int) []Outcome[S]
	// Describe gives the state as text, for explanations.
	Describe func(state S) string
	// Shape is the kind of object: []any{"queue", map[string]string{"push": "add", "take": "remove"}}.
	Shape any
	// Reads are names of operations that never change the state.
	Reads []string
	// Keys is the position of the argument that an operation is about.
	Keys map[string]int
	// OneKey says that every operation has a key.
	OneKey bool
	// Process says that it matters who calls.
	Process bool
	// Ops is what can be called, for linpoint gen: []any{[]any{"put", "$key", "$value"}}.
	Ops []any
	// Options is what can be set, with defaults.
	Options map[string]any
}

type question struct {
	ID    uint64 `json:"id"`
	Hello *struct {
		Options map[string]any `json:"options"`
	} `json:"hello"`
	Init     *bool           `json:"init"`
	Describe json.RawMessage `json:"describe"`
	Steps    []struct {
		State json.RawMessage     `json:"state"`
		Ops   [][]json.RawMessage `json:"ops"`
	} `json:"steps"`
}

// Serve answers linpoint's questions until it has no more.
func Serve[S any](m Model[S]) {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		answer := map[string]any{}
		if err := json.Unmarshal(line, &q); err != nil {
			answer["error"] = err.Error()
		} else {
			m.answer(&q, answer)
		}
		answer["id"] = q.ID
		text, err := json.Marshal(answer)
		if err != nil {
			text, _ = json.Marshal(map[string]any{"id": q.ID, "error": err.Error()})
		}
		out.Write(text)
		out.WriteByte('\n')
		out.Flush()
	}
}

// answer fills in the answer. A panic of the model becomes an error that linpoint reports.
func (m *Model[S]) answer(q *question, answer map[string]any) {
	defer func() {
		if wrong := recover(); wrong != nil {
			answer["error"] = fmt.Sprint(wrong)
		}
	}()
	switch {
	case q.Hello != nil:
		for name, value := range q.Hello.Options {
			m.Options[name] = value
		}
		answer["name"], answer["version"], answer["about"] = m.Name, m.Version, m.About
		answer["shape"], answer["reads"], answer["keys"] = m.Shape, m.Reads, m.Keys
		answer["one_key"], answer["process"] = m.OneKey, m.Process
		answer["ops"], answer["options"] = m.Ops, m.Options
	case q.Init != nil:
		answer["state"] = m.Init()
	case q.Steps != nil:
		all := []any{}
		for _, step := range q.Steps {
			all = append(all, m.run(step.State, step.Ops))
		}
		answer["outcomes"] = all
	default:
		text := string(q.Describe)
		if m.Describe != nil {
			text = m.Describe(m.state(q.Describe))
		}
		answer["text"] = text
	}
}

// run performs operations one after the other and gives all outcomes of each.
func (m *Model[S]) run(state json.RawMessage, ops [][]json.RawMessage) []any {
	answers := []any{}
	for _, op := range ops {
		var name string
		var args []any
		process := -1
		must(json.Unmarshal(op[0], &name))
		must(json.Unmarshal(op[1], &args))
		if len(op) > 2 {
			must(json.Unmarshal(op[2], &process))
		}
		pairs := []any{}
		for i, outcome := range m.Step(m.state(state), name, args, process) {
			after, err := json.Marshal(outcome.State)
			must(err)
			pairs = append(pairs, []any{outcome.Result, json.RawMessage(after)})
			if i == 0 {
				state = after
			}
		}
		answers = append(answers, pairs)
	}
	return answers
}

// state is a copy of its own.
func (m *Model[S]) state(text json.RawMessage) S {
	var state S
	must(json.Unmarshal(text, &state))
	return state
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
