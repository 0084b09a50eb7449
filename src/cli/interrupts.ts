/** The user pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor() {
    super('Interrupted.');
  }
}

/**
 * What Ctrl-C does: it leaves, in order, unless there is something gentler to be done first; and if leaving takes
 * too long for the user, it leaves at once. Either way the agent goes first.
 */
export class Interrupts {
  readonly #host: NodeJS.Process;
  readonly #leaving = new AbortController();
  readonly #onSignal = () => this.press();
  #gentler: (() => void) | undefined;

  constructor(host: NodeJS.Process) {
    this.#host = host;
    host.on('SIGINT', this.#onSignal);
  }

  /** Aborted, with {@link Interrupted}, when the user wants to leave. */
  get signal(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Lets the next Ctrl-C do this instead, once. Returns the way to take it back. */
  before(gentler: () => void): () => void {
    this.#gentler = gentler;
    return () => {
      this.#gentler = undefined;
    };
  }

  /** As Ctrl-C does. For whoever reads the keyboard, and is given the key instead of the signal. */
  press(): void {
    const gentler = this.#gentler;
    this.#gentler = undefined;
    if (gentler) gentler();
    else if (!this.signal.aborted) this.#leaving.abort(new Interrupted());
    // Agents are killed when this process exits.
    else this.#host.exit(130);
  }

  dispose(): void {
    this.#host.off('SIGINT', this.#onSignal);
  }
}
