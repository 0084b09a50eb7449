import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sessions of an agent. Each is a file with its parameters and all its updates, which another run of the agent reads. */
export function archiveIn(folder) {
  mkdirSync(folder, { recursive: true });
  const fileOf = (sessionId) => join(folder, `${sessionId}.json`);
  const archive = {
    newId: () => crypto.randomUUID(),
    list: () => readdirSync(folder).map((file) => archive.read(file.replace(/\.json$/, ''))),
    /** The session, or `undefined`. */
    read(sessionId) {
      try {
        return JSON.parse(readFileSync(fileOf(sessionId), 'utf8'));
      } catch {
        return undefined;
      }
    },
    write: (session) => writeFileSync(fileOf(session.sessionId), JSON.stringify(session)),
    remove: (sessionId) => rmSync(fileOf(sessionId), { force: true }),
  };
  return archive;
}

/** The same for one run. */
export function archiveInMemory() {
  const sessions = new Map();
  return {
    newId: () => `official-${sessions.size + 1}`,
    list: () => [...sessions.values()],
    read: (sessionId) => sessions.get(sessionId),
    write: (session) => sessions.set(session.sessionId, session),
    remove: (sessionId) => sessions.delete(sessionId),
  };
}
