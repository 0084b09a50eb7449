import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../core/base/diagnostic.ts';
import type { Session } from './session.ts';
import { memoryStore, type SessionStore } from './store.ts';

/**
 * The examples in memory, and new sessions as files in a directory. Several processes can share the directory.
 *
 * @param folder - Created if it does not exist.
 */
export function folderStore(folder: string): SessionStore {
  const memory = memoryStore();
  mkdirSync(folder, { recursive: true });
  // No other id is part of a path.
  const isFile = (sessionId: string) => /^session-\d+$/.test(sessionId);
  const pathOf = (sessionId: string) => join(folder, `${sessionId}.json`);
  const find = (sessionId: string) => {
    if (!isFile(sessionId)) return memory.find(sessionId);
    try {
      // Only this program writes these files.
      return JSON.parse(readFileSync(pathOf(sessionId), 'utf8')) as Session;
    } catch {
      return undefined;
    }
  };
  return {
    list() {
      const ids = readdirSync(folder).map((name) => name.replace(/\.json$/, ''));
      return [...memory.list(), ...ids.flatMap((id) => (isFile(id) && find(id)) || [])];
    },
    find,
    add(session) {
      try {
        writeFileSync(pathOf(session.sessionId), JSON.stringify(session), { flag: 'wx' });
        return true;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw error;
      }
    },
    save(session) {
      if (!isFile(session.sessionId)) return;
      // Other processes read the file. A rename replaces it as a whole.
      const path = pathOf(session.sessionId);
      writeFileSync(`${path}.${process.pid}`, JSON.stringify(session));
      renameSync(`${path}.${process.pid}`, path);
    },
    delete(sessionId) {
      if (isFile(sessionId)) rmSync(pathOf(sessionId), { force: true });
      else memory.delete(sessionId);
    },
  };
}
