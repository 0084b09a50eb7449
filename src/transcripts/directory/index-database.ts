import { closeSync, constants, lstatSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../base/diagnostic.ts';
import type { RecordInfo } from '../storage.ts';
import { type Database, loadSqlite, type Statement } from './sqlite.ts';

const fileName = 'index.sqlite';

/** Changes with the tables. An index of another version is made again. */
const indexVersion = 2;

/** How long another program may keep the index, in milliseconds. Then this program does without it. */
const busyMs = 250;

/** What identifies the content of a file without reading it. */
export interface FileState {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** A file in the index. */
export interface IndexedFile extends FileState {
  readonly name: string;
  readonly info: RecordInfo;
  /** Whether the words of this content are in the index. */
  readonly hasWords: boolean;
}

/**
 * What is known of the files, in SQLite: what a list shows, and the words. It can be deleted at any time. What is deleted
 * from it is overwritten.
 */
export class IndexDatabase {
  readonly #database: Database;
  readonly #all: Statement;
  readonly #put: Statement;
  readonly #idOf: Statement;
  readonly #delete: Statement;
  readonly #deleteWords: Statement;
  readonly #addWords: Statement;
  readonly #find: Statement;

  constructor(database: Database) {
    this.#database = database;
    database.exec(`PRAGMA busy_timeout = ${busyMs}; PRAGMA secure_delete = ON;`);
    const [row] = database.prepare('PRAGMA user_version').all();
    if (row?.['user_version'] !== indexVersion) {
      database.exec(`
        DROP TABLE IF EXISTS words;
        DROP TABLE IF EXISTS files;
        CREATE TABLE files (
          id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime REAL NOT NULL,
          ino REAL NOT NULL, info TEXT NOT NULL, hasWords INTEGER NOT NULL
        );
        CREATE VIRTUAL TABLE words USING fts5(
          found, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
        );
        PRAGMA user_version = ${indexVersion};
      `);
    }
    this.#all = database.prepare('SELECT name, size, mtime, ino, info, hasWords FROM files');
    this.#put = database.prepare(
      `INSERT INTO files (name, size, mtime, ino, info, hasWords) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, ino = excluded.ino,
         info = excluded.info, hasWords = excluded.hasWords`,
    );
    this.#idOf = database.prepare('SELECT id FROM files WHERE name = ?');
    this.#delete = database.prepare('DELETE FROM files WHERE id = ?');
    this.#deleteWords = database.prepare('DELETE FROM words WHERE rowid = ?');
    this.#addWords = database.prepare('INSERT INTO words (rowid, found) VALUES (?, ?)');
    this.#find = database.prepare(
      'SELECT name FROM files WHERE hasWords = 1 AND id IN (SELECT rowid FROM words WHERE words MATCH ?)',
    );
  }

  *files(): Generator<IndexedFile> {
    for (const { name, size, mtime, ino, info, hasWords } of this.#all.iterate())
      yield {
        name: String(name),
        size: Number(size),
        mtimeMs: Number(mtime),
        ino: Number(ino),
        // This class has written it.
        info: JSON.parse(String(info)) as RecordInfo,
        hasWords: hasWords === 1,
      };
  }

  /** @param words - The words of the file. `undefined`: they are not known yet. */
  put(
    name: string,
    { size, mtimeMs, ino }: FileState,
    info: RecordInfo,
    words: ReadonlySet<string> | undefined,
  ): void {
    this.#put.run(name, size, mtimeMs, ino, JSON.stringify(info), words ? 1 : 0);
    const id = this.#rowOf(name);
    this.#deleteWords.run(id);
    if (words) this.#addWords.run(id, [...words].map(token).join(' '));
  }

  #rowOf(name: string): number {
    return Number(this.#idOf.all(name)[0]?.['id']);
  }

  delete(names: readonly string[]): void {
    for (const name of names) {
      const id = this.#rowOf(name);
      this.#deleteWords.run(id);
      this.#delete.run(id);
    }
  }

  /** Removes what was deleted from the words. They are kept in several lists, which this joins. */
  purge(): void {
    this.#database.exec(`INSERT INTO words (words) VALUES ('optimize')`);
  }

  /** The files that have all words. The last one may be the beginning of a word. */
  find(words: readonly string[]): readonly string[] {
    const terms = words.map((word, index) => `"${token(word)}"${index === words.length - 1 ? ' *' : ''}`);
    return this.#find.all(terms.join(' AND ')).map(({ name }) => String(name));
  }

  /** Makes all changes of the task, or none. */
  transaction(task: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      task();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** A word in letters that every version of SQLite keeps together. The beginning of a word stays one. */
function token(word: string): string {
  return word.replace(
    /[^\da-z]/g,
    (character) => `x${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Opens the index, which only this user can read. `undefined` if there is no SQLite. */
export function openIndex(directory: string): IndexDatabase | undefined {
  const sqlite = loadSqlite();
  const path = join(directory, fileName);
  return sqlite && isUsable(path) ? new IndexDatabase(new sqlite.DatabaseSync(path)) : undefined;
}

/** Makes the file, so that SQLite does not make it with another mode. A link is not followed. */
function isUsable(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, 0o600));
    return true;
  } catch (error) {
    return codeOf(error) === 'EEXIST' && lstatSync(path).isFile();
  }
}

/** Deletes an index that cannot be used. */
export function deleteIndex(directory: string): void {
  for (const end of ['', '-journal', '-wal', '-shm'])
    rmSync(join(directory, `${fileName}${end}`), { force: true });
}
