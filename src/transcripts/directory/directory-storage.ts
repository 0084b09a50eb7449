import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, errorMessage } from '../../base/diagnostic.ts';
import { type Deferred, deferred } from '../../base/wait.ts';
import type {
  ListedRecord,
  RecordBatch,
  StoredRecord,
  TranscriptFilter,
  TranscriptStorage,
} from '../storage.ts';
import { TranscriptError } from '../transcript-error.ts';
import {
  isTemporaryName,
  knownNames,
  namesByTranscript,
  parseFileName,
  recordFileName,
  temporaryFileName,
} from './file-names.ts';
import { privateDirectory, type RecordFiles, recordFiles } from './files.ts';
import { RecordIndex } from './record-index.ts';

/** A file that was to become a record is removed when it is so old, in milliseconds. Its program has ended. */
const abandonedMs = 60 * 60 * 1000;

/**
 * Keeps each record in a file of its own, with the index beside them.
 *
 * @param files - How the files are written and read.
 */
export async function directoryStorage(
  directory: string,
  files: RecordFiles = recordFiles,
): Promise<TranscriptStorage> {
  try {
    await privateDirectory(directory);
    // What is behind a link is looked up once. Nothing in the directory leads out of it.
    const storage = new DirectoryStorage(await realpath(directory), files);
    await storage.removeAbandoned();
    return storage;
  } catch (error) {
    throw new TranscriptError(
      'transcript.directory',
      `The directory for transcripts ${JSON.stringify(directory)} cannot be used: ${errorMessage(error)}. Nothing was recorded. Pass a directory that this user can write.`,
      { cause: error },
    );
  }
}

/** Removals at the same time. The index forgets their files together: each time it writes all of itself again. */
interface Removals {
  running: number;
  /** The files that are gone. */
  readonly names: string[];
  readonly forgotten: Deferred<void>;
}

class DirectoryStorage implements TranscriptStorage {
  readonly #directory: string;
  readonly #files: RecordFiles;
  readonly #index: RecordIndex;
  #removals: Removals | undefined;
  #shared: Promise<(id: string) => readonly string[]> | undefined;

  constructor(directory: string, files: RecordFiles) {
    this.#directory = directory;
    this.#files = files;
    this.#index = new RecordIndex(directory, files);
  }

  async append({ info: { id, writer }, mode, lines }: RecordBatch): Promise<void> {
    const path = join(this.#directory, recordFileName(id, writer));
    if (mode === 'append') return this.#files.append(path, lines);
    const temporary = join(this.#directory, temporaryFileName(writer, randomBytes(8).toString('hex')));
    try {
      await this.#files.create(temporary, lines);
      await this.#files.rename(temporary, path);
    } catch (error) {
      await this.#files.remove(temporary).catch(() => {});
      throw error;
    }
  }

  async read(id: string, writers: readonly string[] = []): Promise<readonly StoredRecord[]> {
    try {
      const known = await this.#readAll(knownNames(id, writers) ?? []);
      if (known.length > 0 && known.length === writers.length) return known;
      return await this.#readAll(namesByTranscript(await this.#names())(id));
    } catch (error) {
      throw new TranscriptError(
        'transcript.directory',
        `The transcript ${JSON.stringify(id)} cannot be read: ${errorMessage(error)}. Allow this user to read the files in ${JSON.stringify(this.#directory)}.`,
        { cause: error },
      );
    }
  }

  async #readAll(names: readonly string[]): Promise<readonly StoredRecord[]> {
    const records = await Promise.all(names.map((name) => this.#read(name)));
    return records.filter((record) => record !== undefined);
  }

  async #read(name: string): Promise<StoredRecord | undefined> {
    const writer = parseFileName(name)?.writer;
    const bytes = await this.#files.read(join(this.#directory, name)).catch(ignoreAbsent);
    return writer === undefined || !bytes ? undefined : new FileRecord(writer, bytes);
  }

  async *list({ cwd }: TranscriptFilter = {}): AsyncGenerator<ListedRecord> {
    for (const record of await this.#index.list(await this.#names())) {
      if (cwd === undefined || record.cwd === cwd) yield record;
    }
  }

  async candidates(words: readonly string[]): Promise<ReadonlySet<string> | undefined> {
    return this.#index.candidates(words, await this.#names());
  }

  async remove(id: string, writers?: readonly string[]): Promise<void> {
    this.#removals ??= { running: 0, names: [], forgotten: deferred() };
    const removals = this.#removals;
    removals.running++;
    try {
      const namesOf = await this.#sharedNames();
      const names = namesOf(id).filter(
        (name) => writers?.includes(parseFileName(name)?.writer ?? '') ?? true,
      );
      for (const name of names) {
        await this.#files.remove(join(this.#directory, name)).catch(ignoreAbsent);
        removals.names.push(name);
      }
    } catch (error) {
      throw new TranscriptError(
        'transcript.directory',
        `The transcript ${JSON.stringify(id)} was not removed, or not completely: ${errorMessage(error)}. Allow this user to write in ${JSON.stringify(this.#directory)}, and remove it again.`,
        { cause: error },
      );
    } finally {
      removals.running--;
      if (removals.running === 0) this.#forget(removals);
    }
    await removals.forgotten.promise;
  }

  #forget({ names, forgotten }: Removals): void {
    this.#removals = undefined;
    if (names.length > 0) this.#index.forget(names);
    forgotten.resolve();
  }

  async close(): Promise<void> {
    this.#index.close();
  }

  /** Removes what programs have left that were killed. */
  async removeAbandoned(): Promise<void> {
    for (const name of await this.#names()) {
      if (!isTemporaryName(name)) continue;
      const path = join(this.#directory, name);
      const facts = this.#files.facts(path);
      if (facts && Date.now() - facts.mtimeMs > abandonedMs) await this.#files.remove(path).catch(() => {});
    }
  }

  /** Looks at the directory once for all that ask before it is looked at. */
  #sharedNames(): Promise<(id: string) => readonly string[]> {
    this.#shared ??= Promise.resolve().then(async () => {
      this.#shared = undefined;
      return namesByTranscript(await this.#names());
    });
    return this.#shared;
  }

  /** A directory that vanished has no transcripts. */
  async #names(): Promise<readonly string[]> {
    return (await this.#files.names(this.#directory).catch(ignoreAbsent)) ?? [];
  }
}

/** A file as it was read. To decode it takes most of the time of a search. */
class FileRecord implements StoredRecord {
  readonly writer: string;
  readonly bytes: Buffer;
  #text: string | undefined;

  constructor(writer: string, bytes: Buffer) {
    this.writer = writer;
    this.bytes = bytes;
  }

  get text(): string {
    this.#text ??= this.bytes.toString();
    return this.#text;
  }
}

/** What another program has removed meanwhile is not there. A link is not a record. */
function ignoreAbsent(error: unknown): undefined {
  const code = codeOf(error);
  if (code !== 'ENOENT' && code !== 'ELOOP') throw error;
}
