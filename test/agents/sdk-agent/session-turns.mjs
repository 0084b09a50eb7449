/** Runs the turns of each session one after the other. */
export class SessionTurns {
  #open = new Map();

  /** Runs `turn` when the earlier turns of the session have ended. A cancel aborts its `signal`. */
  async run(sessionId, turn) {
    const cancelled = new AbortController();
    const session = this.#of(sessionId);
    const before = session.last;
    session.waiting.add(cancelled);
    const mine = before.then(() => turn(cancelled.signal));
    session.last = mine.then(
      () => {},
      () => {},
    );
    try {
      return await mine;
    } finally {
      session.waiting.delete(cancelled);
    }
  }

  cancel(sessionId) {
    for (const turn of this.#of(sessionId).waiting) turn.abort(new Error('cancelled'));
  }

  #of(sessionId) {
    const known = this.#open.get(sessionId) ?? { last: Promise.resolve(), waiting: new Set() };
    this.#open.set(sessionId, known);
    return known;
  }
}
