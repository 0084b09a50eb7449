import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, errorMessage } from '../../base/diagnostic.ts';
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
  namesOf,
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

class DirectoryStorage implements TranscriptStorage {
  readonly #directory: string;
  readonly #files: RecordFiles;
  readonly #index: RecordIndex;

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
    const known = await this.#readAll(knownNames(id, writers) ?? []);
    if (known.length > 0 && known.length === writers.length) return known;
    return this.#readAll(namesOf(id, await this.#names()));
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
    const names = namesOf(id, await this.#names()).filter(
      (name) => writers?.includes(parseFileName(name)?.writer ?? '') ?? true,
    );
    try {
      for (const name of names) await this.#files.remove(join(this.#directory, name)).catch(ignoreAbsent);
    } catch (error) {
      throw new TranscriptError(
        'transcript.directory',
        `The transcript ${JSON.stringify(id)} was not removed, or not completely: ${errorMessage(error)}. Allow this user to write in ${JSON.stringify(this.#directory)}, and remove it again.`,
        { cause: error },
      );
    }
    if (names.length > 0) this.#index.forget(names);
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
