import { join, sep } from 'node:path';
import { macrotask } from '../../transport/macrotask.ts';
import { recordWords } from '../record-words.ts';
import type { ListedRecord, RecordInfo } from '../storage.ts';
import { parseFileName } from './file-names.ts';
import type { FileFacts, RecordFiles } from './files.ts';
import { deleteIndex, type FileState, type IndexDatabase, openIndex } from './index-database.ts';
import { recordInfo } from './record-info.ts';

/** After so many files other work of the program has its turn. */
const filesAtOnce = 256;

/** So many files are read at the same time. */
const readsAtOnce = 16;

/** How much is put into the index in one transaction, in bytes of the files. */
const transactionBytes = 16 * 1024 * 1024;

interface KnownFile extends FileState {
  /** `undefined` if the file is not a record. */
  readonly info: RecordInfo | undefined;
  readonly hasWords: boolean;
}

/** A file as it is now. */
interface CurrentFile extends FileFacts {
  readonly name: string;
}

/**
 * What is known of the files of a directory, so that they are not read again: in memory, and in SQLite where there is one.
 * Each file is looked at before what is known of it is used. An index that fails is deleted, and does not change a result.
 */
export class RecordIndex {
  readonly #directory: string;
  readonly #files: RecordFiles;
  readonly #known = new Map<string, KnownFile>();
  /** `undefined` until it is needed, `null` if there is none. */
  #database: IndexDatabase | null | undefined;
  /** How often files were forgotten. */
  #removals = 0;

  constructor(directory: string, files: RecordFiles) {
    this.#directory = directory;
    this.#files = files;
  }

  /** The records in these files. */
  async list(names: readonly string[]): Promise<readonly ListedRecord[]> {
    this.#open();
    const current = await this.#current(names);
    const changed = current.filter((file) => !isSame(file, this.#known.get(file.name)));
    for (let start = 0; start < changed.length; start += readsAtOnce)
      await Promise.all(changed.slice(start, start + readsAtOnce).map((file) => this.#readInfo(file)));
    if (changed.length > 0)
      this.#use((database) => database.transaction(() => this.#putInfos(database, changed)));
    return current.flatMap(({ name, size }) => {
      const info = this.#known.get(name)?.info;
      return info ? { ...info, bytes: size } : [];
    });
  }

  /** The ids of the records that have the words. `undefined` if there is no index. */
  async candidates(
    words: readonly string[],
    names: readonly string[],
  ): Promise<ReadonlySet<string> | undefined> {
    await this.list(names);
    if (!this.#database) return undefined;
    await this.#addWords();
    let found: readonly string[] | undefined;
    this.#use((database) => {
      found = database.find(words);
    });
    if (!found) return undefined;
    const ids = new Set(found.flatMap((name) => this.#known.get(name)?.info?.id ?? []));
    for (const { info, hasWords } of this.#known.values()) if (info && !hasWords) ids.add(info.id);
    return ids;
  }

  /** Forgets files, which are removed. */
  forget(names: readonly string[]): void {
    this.#open();
    this.#removals++;
    for (const name of names) this.#known.delete(name);
    // Another program made the index, and a removed transcript must not be left in it.
    if (!this.#database) return this.#fail();
    try {
      const database = this.#database;
      database.transaction(() => database.delete(names));
      database.purge();
    } catch {
      // Nothing of a removed transcript may be left.
      this.#fail();
    }
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
  }

  #open(): void {
    if (this.#database !== undefined) return;
    this.#database = null;
    try {
      this.#database = openIndex(this.#directory) ?? null;
      for (const file of this.#database?.files() ?? []) this.#known.set(file.name, file);
    } catch {
      this.#fail();
    }
  }

  #use(task: (database: IndexDatabase) => void): void {
    if (!this.#database) return;
    try {
      task(this.#database);
    } catch (error) {
      if (isBusy(error)) this.close();
      else this.#fail();
    }
  }

  /** The index is damaged, or there is no space for it. The next program makes a new one. */
  #fail(): void {
    try {
      this.#database?.close();
      deleteIndex(this.#directory);
    } catch {
      // What is in the way of the index is in the way of nothing else.
    }
    this.#database = null;
  }

  async #current(names: readonly string[]): Promise<readonly CurrentFile[]> {
    const current: CurrentFile[] = [];
    const existing = new Set(names);
    for (const [index, name] of names.entries()) {
      if (index % filesAtOnce === filesAtOnce - 1) await new Promise<void>((resolve) => macrotask(resolve));
      if (!this.#known.has(name) && !parseFileName(name)) continue;
      // `join` looks at each character of the directory again.
      const facts = this.#files.facts(`${this.#directory}${sep}${name}`);
      if (facts?.isFile) current.push({ name, ...facts });
    }
    const gone = [...this.#known.keys()].filter((name) => !existing.has(name));
    if (gone.length > 0) this.forget(gone);
    return current;
  }

  async #readInfo(file: CurrentFile): Promise<void> {
    const path = join(this.#directory, file.name);
    const removals = this.#removals;
    const info = await recordInfo(this.#files, path, file.size).catch(() => undefined);
    // What was read of a file that is removed now must not come back.
    if (removals !== this.#removals && !this.#files.facts(path)) return;
    const { name, size, mtimeMs, ino } = file;
    this.#known.set(name, { size, mtimeMs, ino, info, hasWords: false });
  }

  #putInfos(database: IndexDatabase, files: readonly CurrentFile[]): void {
    for (const file of files) {
      const info = this.#known.get(file.name)?.info;
      if (info) database.put(file.name, file, info, undefined);
    }
  }

  async #addWords(): Promise<void> {
    let batch: { readonly name: string; readonly file: KnownFile; readonly words: ReadonlySet<string> }[] =
      [];
    let bytes = 0;
    const flush = () => {
      // Another search may know a file better by now, and a file that was removed is not known any more.
      const current = batch.filter(({ name, file }) => this.#known.get(name) === file);
      this.#use((database) =>
        database.transaction(() => {
          for (const { name, file, words } of current) {
            if (file.info) database.put(name, file, file.info, words);
          }
        }),
      );
      for (const { name, file } of current) this.#known.set(name, { ...file, hasWords: true });
      batch = [];
      bytes = 0;
    };
    for (const [name, file] of this.#known) {
      if (file.hasWords || !file.info || !this.#database) continue;
      const content = await this.#files.read(join(this.#directory, name)).catch(() => undefined);
      if (!content) continue;
      batch.push({ name, file, words: recordWords(content.toString()) });
      bytes += file.size;
      if (bytes >= transactionBytes) flush();
      await new Promise<void>((resolve) => macrotask(resolve));
    }
    if (batch.length > 0) flush();
  }
}

/** Another program uses the index for long. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 6);
}

function isSame(file: FileState, known: FileState | undefined): boolean {
  return known?.size === file.size && known.mtimeMs === file.mtimeMs && known.ino === file.ino;
}
