import { newSession, type Session } from './session.ts';
import { examples } from './stories/index.ts';

/** Where sessions are kept. Changes to an example last as long as the store. */
export interface SessionStore {
  /** All sessions, in no order. */
  list(): readonly Session[];
  find(sessionId: string): Session | undefined;
  /** Creates a session with the first free number. */
  create(cwd: string): Session;
  save(session: Session): void;
  delete(sessionId: string): void;
}

/** The examples, and new sessions in memory. */
export function memoryStore(): SessionStore {
  const sessions = new Map(examples.map((example) => [example.sessionId, structuredClone(example)]));
  return {
    list: () => [...sessions.values()],
    find: (sessionId) => sessions.get(sessionId),
    create(cwd) {
      let number = 1;
      while (sessions.has(`session-${number}`)) number++;
      const session = newSession(`session-${number}`, cwd);
      sessions.set(session.sessionId, session);
      return session;
    },
    save: () => {},
    delete: (sessionId) => void sessions.delete(sessionId),
  };
}
