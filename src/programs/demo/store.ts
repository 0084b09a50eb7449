import type { Session } from './session.ts';
import { examples } from './stories.ts';

/** Where sessions are kept. Changes to an example last as long as the store. */
export interface SessionStore {
  /** All sessions, in no order. */
  list(): readonly Session[];
  find(sessionId: string): Session | undefined;
  /** Adds a session. Returns `false` if there is one with its id. */
  add(session: Session): boolean;
  save(session: Session): void;
  delete(sessionId: string): void;
}

/** The examples, and new sessions in memory. */
export function memoryStore(): SessionStore {
  const sessions = new Map(examples.map((example) => [example.sessionId, structuredClone(example)]));
  return {
    list: () => [...sessions.values()],
    find: (sessionId) => sessions.get(sessionId),
    add(session) {
      if (sessions.has(session.sessionId)) return false;
      sessions.set(session.sessionId, session);
      return true;
    },
    save: () => {},
    delete: (sessionId) => void sessions.delete(sessionId),
  };
}
