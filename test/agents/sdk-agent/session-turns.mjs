/** Runs the turns of each session one after the other. */
class SessionTurns {
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

/**
 * An agent that makes, lists, closes and deletes sessions, and cancels their turns, which is the same in both versions.
 *
 * @param sdk - The SDK of a version.
 */
export function agentWithSessions({ agent, methods, RequestError }, archive) {
  const { session } = methods.agent;
  const turns = new SessionTurns();
  const app = agent({ name: 'sdk-agent' })
    .onRequest(session.new, ({ params: { cwd } }) => {
      const sessionId = crypto.randomUUID();
      archive.write({ sessionId, cwd, updates: [] });
      return { sessionId };
    })
    .onRequest(session.list, ({ params }) => ({
      sessions: archive.list(params.cwd).map(({ sessionId, cwd }) => ({ sessionId, cwd })),
    }))
    .onRequest(session.close, ({ params: { sessionId } }) => {
      turns.cancel(sessionId);
      return {};
    })
    .onRequest(session.delete, ({ params: { sessionId } }) => {
      archive.remove(sessionId);
      return {};
    })
    .onNotification(session.cancel, ({ params }) => turns.cancel(params.sessionId));
  const known = (sessionId) => {
    const found = archive.read(sessionId);
    if (!found) throw new RequestError(-32002, 'There is no such session.', { sessionId });
    return found;
  };
  return { app, turns, known };
}
