import type { RequestId } from '../base/json.ts';

/** A request from the agent. */
export interface AgentRequest {
  readonly method: string;
  readonly params: unknown;
  /** Aborted when the agent withdraws the request or the connection ends. */
  readonly signal: AbortSignal;
  /**
   * Counts the request as open until `work` settles. For a handler that runs on after its request was answered:
   * otherwise an agent that cancels its requests could start any number of handlers.
   */
  readonly hold: (work: Promise<unknown>) => void;
  /** Calls `listener` when the request is open no more: the agent has taken the answer, or cannot take it. */
  readonly onTaken: (listener: () => void) => void;
}

/** The agent's requests that are open: not answered yet, or with a handler that runs on. */
export class AgentRequests {
  /** What aborts the requests that are not answered, by id. */
  readonly #unanswered = new Map<RequestId, AbortController>();
  #count = 0;

  /** How many requests are open. */
  get count(): number {
    return this.#count;
  }

  /** Whether the request with this id is not answered yet. */
  has(id: RequestId): boolean {
    return this.#unanswered.has(id);
  }

  /** Adds a request. It counts from its first `hold` to the end of what it holds. */
  add(id: RequestId, method: string, params: unknown): AgentRequest {
    const control = new AbortController();
    this.#unanswered.set(id, control);
    let holds = 0;
    let listeners: readonly (() => void)[] = [];
    const release = () => {
      if (--holds > 0) return;
      this.#count--;
      for (const listener of listeners) listener();
      listeners = [];
    };
    const hold = (work: Promise<unknown>) => {
      if (holds++ === 0) this.#count++;
      work.then(release, release);
    };
    const onTaken = (listener: () => void) => {
      listeners = [...listeners, listener];
    };
    return { method, params, signal: control.signal, hold, onTaken };
  }

  /** The answer is being written: the agent can use the id again. */
  answered(id: RequestId): void {
    this.#unanswered.delete(id);
  }

  /** Aborts the signal of a request, unless it was answered. */
  abort(id: RequestId, reason: unknown): void {
    this.#unanswered.get(id)?.abort(reason);
  }

  /** Aborts the signals of all requests that are not answered. */
  abortAll(reason: unknown): void {
    for (const control of this.#unanswered.values()) control.abort(reason);
  }
}
