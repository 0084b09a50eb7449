import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../json.ts';
import { isJsonObject } from '../json.ts';
import type { StoredSession } from './history.ts';
import { initialSettings } from './history.ts';

const pageSize = 2;
const oneMinuteMs = 60_000;
/** The time of a first session where there are no others. */
const firstTime = '2026-03-01T09:00:00.000Z';

export interface Page {
  readonly sessions: readonly StoredSession[];
  /** Where the next page starts; absent on the last. */
  readonly nextCursor?: string;
}

/**
 * The sessions in a folder, one file each.
 *
 * A file is written beside its place and then moved there, so that whoever reads, this process or another, finds it
 * whole. The work is synchronous: the files are small, and a demo has nothing better to do meanwhile.
 */
export class SessionStore {
  readonly #folder: string;

  /** Makes the folder if need be, readable by its owner alone. Throws what the file system says. */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Puts the examples there the first time, and again when this program has other ones. Examples that the user
   * deleted stay deleted, and examples that the user went on with stay as they are.
   */
  seed(examples: readonly StoredSession[]): void {
    const edition = createHash('sha256').update(JSON.stringify(examples)).digest('hex');
    const marker = join(this.#folder, 'examples-edition');
    const found = readText(marker);
    if (found === edition) return;
    for (const example of examples) {
      if (found === undefined) this.#create(example);
      else this.save(example);
    }
    this.#write(marker, edition);
  }

  /** A new session under the first free number, a minute younger than the youngest: the agent has no clock. */
  add(cwd: string, additionalDirectories: readonly string[]): StoredSession {
    const updatedAt = this.nextTime();
    for (let number = 1; ; number += 1) {
      const session: StoredSession = {
        sessionId: `session-${number}`,
        cwd,
        additionalDirectories,
        title: null,
        updatedAt,
        settings: initialSettings,
        usage: null,
        steps: [],
      };
      if (this.#create(session)) return session;
    }
  }

  save(session: StoredSession): void {
    this.#write(this.#path(session.sessionId), JSON.stringify(session));
  }

  read(sessionId: string): StoredSession | undefined {
    // An id names a file, so one that could lead out of the folder is nobody's.
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(sessionId)) return undefined;
    return parseSession(readText(this.#path(sessionId)));
  }

  delete(sessionId: string): void {
    if (this.read(sessionId)) rmSync(this.#path(sessionId), { force: true });
  }

  nextTime(): string {
    const youngest = this.#all()[0];
    if (!youngest) return firstTime;
    return new Date(Date.parse(youngest.updatedAt) + oneMinuteMs).toISOString();
  }

  /**
   * One page of the sessions, the youngest first. The cursor names the last session of the page before, so that no
   * session is left out or repeated when others come and go. `undefined` where the cursor is none of ours.
   */
  page(filter: { readonly cwd?: string; readonly cursor?: string }): Page | undefined {
    const after = filter.cursor === undefined ? undefined : parseCursor(filter.cursor);
    if (filter.cursor !== undefined && !after) return undefined;
    const rest = this.#all()
      .filter((session) => filter.cwd === undefined || session.cwd === filter.cwd)
      .filter((session) => !after || compare(session, after) > 0);
    const sessions = rest.slice(0, pageSize);
    const last = sessions.at(-1);
    return rest.length > pageSize && last ? { sessions, nextCursor: cursorAt(last) } : { sessions };
  }

  #all(): readonly StoredSession[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => parseSession(readText(join(this.#folder, name))))
      .filter((session) => session !== undefined)
      .sort(compare);
  }

  /** Whether the session is there now and was not before. */
  #create(session: StoredSession): boolean {
    const path = this.#path(session.sessionId);
    const temporary = temporaryPath(path);
    writeFileSync(temporary, JSON.stringify(session));
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(temporary, { force: true });
    }
  }

  #write(path: string, content: string): void {
    const temporary = temporaryPath(path);
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  }

  #path(sessionId: string): string {
    return join(this.#folder, `${sessionId}.json`);
  }
}

type Position = Pick<StoredSession, 'updatedAt' | 'sessionId'>;

function compare(a: Position, b: Position): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.sessionId < b.sessionId ? -1 : Number(a.sessionId > b.sessionId);
}

function cursorAt({ updatedAt, sessionId }: Position): string {
  return Buffer.from(JSON.stringify({ updatedAt, sessionId })).toString('base64url');
}

function parseCursor(cursor: string): Position | undefined {
  const value = parseObject(Buffer.from(cursor, 'base64url').toString());
  const { updatedAt, sessionId } = value ?? {};
  return typeof updatedAt === 'string' && typeof sessionId === 'string'
    ? { updatedAt, sessionId }
    : undefined;
}

function parseSession(content: string | undefined): StoredSession | undefined {
  const value = content === undefined ? undefined : parseObject(content);
  if (typeof value?.['sessionId'] !== 'string' || !Array.isArray(value['steps'])) return undefined;
  // This program alone writes these files, so the rest is as it was written.
  return value as unknown as StoredSession;
}

function parseObject(content: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function temporaryPath(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

function errorCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
