// A model for linpoint in JavaScript or TypeScript: one file, no dependencies. Copy it next to your model. The types are
// in comments, which TypeScript reads.
//
// States are anything that JSON can express; two states are equal if their JSON is, whatever the order of its keys. Run the
// model with: linpoint check --model-command 'node bank.mjs' run.jsonl

import { createInterface } from "node:readline";

/** @typedef {null | boolean | number | string | Json[] | { [key: string]: Json }} Json */

/**
 * Only name, init and step are needed.
 * @template S
 * @typedef {object} Model
 * @property {string} name
 * @property {string} [version]
 * @property {string} [about]
 * @property {(options: { [name: string]: Json }) => S} init the state before the first operation
 * @property {(state: S, op: string, args: Json[], process?: number) => [Json, S][] | null} step all outcomes, each a result
 *   and a state; null if the operation has to wait. The state is a copy and may be changed.
 * @property {(state: S) => string} [describe] the state as text, for explanations
 * @property {Json} [shape] what kind of object it is: ["queue", { push: "add", take: "remove" }]
 * @property {string[]} [reads] names of operations that never change the state
 * @property {{ [op: string]: number }} [keys] the position of the argument that an operation is about
 * @property {boolean} [one_key] true if every operation has a key
 * @property {boolean} [process] true if it matters who calls
 * @property {Json[]} [ops] what can be called, for linpoint gen: [["put", "$key", "$value"]]
 * @property {{ [name: string]: Json }} [options] what can be set, with defaults
 */

/**
 * Answers linpoint's questions until it has no more.
 * @template S
 * @param {Model<S>} model
 */
export function serve(model) {
  const options = { ...model.options };

  /** @param {any} hello */
  function introduce(hello) {
    Object.assign(options, hello.options);
    const { init, step, describe, ...said } = model;
    return { ...said, options };
  }

  /** Performs operations one after the other, and gives all outcomes of each. @param {any} question */
  function run(question) {
    let state = JSON.stringify(question.state);
    return question.ops.map(([op, args, process]) => {
      const outcomes = model.step(JSON.parse(state), op, args, process) ?? [];
      if (outcomes.length > 0) state = JSON.stringify(outcomes[0][1]);
      return outcomes;
    });
  }

  /** @param {any} question */
  function answer(question) {
    if ("steps" in question) return { outcomes: question.steps.map(run) };
    if ("init" in question) return { state: model.init(options) };
    if ("describe" in question) {
      const state = question.describe;
      return { text: model.describe ? model.describe(state) : JSON.stringify(state) };
    }
    return introduce(question.hello);
  }

  createInterface({ input: process.stdin }).on("line", (line) => {
    const question = JSON.parse(line);
    let answered;
    try {
      answered = answer(question);
    } catch (error) {
      answered = { error: String(error) }; // linpoint reports it
    }
    process.stdout.write(JSON.stringify({ id: question.id, ...answered }) + "\n");
  });
}
