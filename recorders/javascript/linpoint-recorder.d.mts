/** Throw this if the operation certainly did not happen. */
export declare class Failed extends Error {}

/** A value that linpoint reads. Others become strings. */
export type Value = null | boolean | number | bigint | string | readonly unknown[] | object;

/** An open operation. */
export interface Operation {
  /** It ended with this result. */
  returned(result?: unknown): void;
  /** It certainly did not happen. */
  failed(): void;
  /** Nobody knows: a timeout, a lost connection. */
  unknown(): void;
}

export interface RecorderOptions {
  /** The model, as `linpoint models` names it. */
  model?: string;
  /** Record the time of each event (true). */
  times?: boolean;
  note?: string;
  /** The options of the model: { initial: 0 }. */
  options?: Record<string, Value>;
}

/** A history that is being recorded. */
export declare class Recorder {
  constructor(path: string, options?: RecorderOptions);
  record<T>(process: string | number, op: string, args: readonly unknown[], call: () => T | Promise<T>, where?: { object?: Value }): Promise<T>;
  call(process: string | number, op: string, args?: readonly unknown[], where?: { object?: Value }): Operation;
  fault(name: string, about?: { lane?: string; detail?: string }): void;
  heal(name: string, about?: { lane?: string }): void;
  event(text: string, about?: { lane?: string; detail?: string }): void;
  close(): void;
}
