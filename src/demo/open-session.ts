import type { Emit, SessionEvent, SessionState } from './event.ts';
import type { StoredSession } from './history.ts';
import { record } from './record.ts';
import { rpcErrors } from './rpc-error.ts';
import type { SessionStore } from './sessions.ts';

export interface Turn {
  /** Aborted when the client calls the turn off. */
  readonly signal: AbortSignal;
  /** Lets the next turn begin. */
  leave(): void;
}

/** A session that the client works with: its history, and one turn after the other. */
export class OpenSession {
  readonly #store: SessionStore;
  readonly #send: Emit;
  readonly #closing = new AbortController();
  readonly #turns = new Set<AbortController>();
  #lastTurn: Promise<void> = Promise.resolve();
  #stored: StoredSession;
  #state: SessionState = 'idle';

  constructor(stored: StoredSession, store: SessionStore, send: Emit) {
    this.#stored = stored;
    this.#store = store;
    this.#send = send;
  }

  get stored(): StoredSession {
    return this.#stored;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Aborted when the session is closed, which ends even what a cancel does not. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Remembers an event and tells the client of it. */
  readonly emit: Emit = (event) => {
    this.remember(event);
    return this.#send(event);
  };

  /** Remembers an event without a word to the client. */
  remember(event: SessionEvent): void {
    this.#stored = record(this.#stored, event);
    if (event.type === 'state') this.#state = event.state;
  }

  /** Counts up with the history: what is made under it has an id that no other of its kind has. */
  get nextNumber(): number {
    return this.#stored.steps.length + 1;
  }

  /** The time to put on what happens now. */
  nextTime(): string {
    return this.#store.nextTime();
  }

  save(): void {
    this.#store.save(this.#stored);
  }

  /** Waits until the turns before are over. Throws where the turn is called off meanwhile. */
  async enterTurn(withdrawn: AbortSignal): Promise<Turn> {
    const controller = new AbortController();
    const { signal } = controller;
    withdrawn.addEventListener('abort', () => controller.abort(), { once: true });
    this.#turns.add(controller);
    const turnsBefore = this.#lastTurn;
    let open = (): void => {};
    const left = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.#lastTurn = turnsBefore.then(() => left);
    const leave = (): void => {
      this.#turns.delete(controller);
      open();
    };
    await Promise.race([turnsBefore, aborted(signal)]);
    if (signal.aborted) {
      leave();
      throw rpcErrors.cancelled();
    }
    return { signal, leave };
  }

  /** Calls off the turn that runs and those that wait. */
  cancel(): void {
    for (const turn of this.#turns) turn.abort();
  }

  /** Resolves when the last turn has told how it ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.cancel();
    await this.#lastTurn;
  }
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
