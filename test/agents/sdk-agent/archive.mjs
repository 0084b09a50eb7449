import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The sessions of an agent. Each is a file with its parameters and all its updates. */
export class Archive {
  #folder;

  constructor(folder) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  list(cwd) {
    return readdirSync(this.#folder)
      .map((file) => this.read(file.replace(/\.json$/, '')))
      .filter((session) => cwd == null || session.cwd === cwd);
  }

  /** The session, or `undefined`. */
  read(sessionId) {
    try {
      return JSON.parse(readFileSync(this.#file(sessionId), 'utf8'));
    } catch {
      return undefined;
    }
  }

  write(session) {
    writeFileSync(this.#file(session.sessionId), JSON.stringify(session));
  }

  remove(sessionId) {
    rmSync(this.#file(sessionId), { force: true });
  }

  #file(sessionId) {
    return join(this.#folder, `${sessionId}.json`);
  }
}
