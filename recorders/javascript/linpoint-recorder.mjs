/**
 * Records the operations of concurrent clients for `linpoint check`.
 *
 * One file without dependencies: copy it into your tests; linpoint-recorder.d.mts has its types for TypeScript.
 * Node 16 or newer.
 *
 *     import { Recorder } from "./linpoint-recorder.mjs";
 *
 *     const log = new Recorder("run.jsonl", { model: "counter" });
 *     const value = await log.record("client-1", "add_fetch", [1], () => api.incr());
 *     log.close();
 *
 * A call is written before the operation begins and its end after it has ended, each with one write, so a crash loses
 * nothing that matters. What linpoint's model calls an operation, and what its results look like, `linpoint models`
 * says. docs/recording.md explains how to record what is true.
 */
import { closeSync, openSync, writeSync } from "node:fs";

/** Throw this if the operation certainly did not happen. */
export class Failed extends Error {}

/** A history that is being recorded. */
export class Recorder {
  #file;
  #times;
  #next = 0;

  /** Starts a file. Without `times`, only the order of events is recorded. `options` are those of the model. */
  constructor(path, { model, times = true, note, options = {} } = {}) {
    this.#file = openSync(path, "w");
    this.#times = times;
    const unit = times ? "ns" : undefined;
    this.#write({ linpoint: 1, model, note, unit, ...value(options) });
  }

  /**
   * Awaits `call()` as an operation of a client, and gives its result. Failed: the operation did not happen. Any other
   * error: nobody knows whether it happened.
   */
  async record(process, op, args, call, { object } = {}) {
    const operation = this.call(process, op, args, { object });
    let result;
    try {
      result = await call();
    } catch (error) {
      if (error instanceof Failed) operation.failed();
      else operation.unknown();
      throw error;
    }
    operation.returned(result);
    return result;
  }

  /** An operation begins. Call this before the request is sent, and a method of what it gives after. */
  call(process, op, args = [], { object } = {}) {
    const number = ++this.#next;
    this.#event({ call: number, process: value(process), op, args: value(args), object: object === undefined ? undefined : value(object) });
    return {
      returned: (result) => this.#event({ return: number, value: value(result) }),
      failed: () => this.#event({ fail: number }),
      unknown: () => this.#event({ info: number }),
    };
  }

  /** A fault begins: a partition, a pause. */
  fault(name, { lane, detail } = {}) {
    this.#event({ fault: name, lane, detail });
  }

  /** A fault ends. */
  heal(name, { lane } = {}) {
    this.#event({ heal: name, lane });
  }

  /** Something else happened: a new leader, a restart. */
  event(text, { lane, detail } = {}) {
    this.#event({ event: text, lane, detail });
  }

  /** Ends the file. Operations that are still open never returned. */
  close() {
    closeSync(this.#file);
  }

  #event(line) {
    // Nanoseconds since the process began: below 2^53 for a hundred days.
    const time = this.#times ? Math.round(performance.now() * 1e6) : undefined;
    this.#write({ ...line, time });
  }

  #write(line) {
    writeSync(this.#file, JSON.stringify(line) + "\n");
  }
}

/** A value that linpoint reads: null, true, false, whole numbers, strings, lists, objects. Others become strings. */
function value(v) {
  if (v === null || v === undefined) return null;
  if (typeof v === "boolean" || typeof v === "string") return v;
  if (typeof v === "number") return Number.isSafeInteger(v) ? v : String(v);
  if (Array.isArray(v)) return v.map(value);
  if (v instanceof Map) return value(Object.fromEntries(v));
  if (v instanceof Set) return [...v].map(value);
  if (typeof v === "object" && (Object.getPrototypeOf(v) === Object.prototype || Object.getPrototypeOf(v) === null)) {
    return Object.fromEntries(Object.entries(v).map(([key, item]) => [key, value(item)]));
  }
  return String(v);
}
