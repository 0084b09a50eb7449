import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, errorMessage } from '../../../core/base/diagnostic.ts';
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
  namesByTranscript,
  parseFileName,
  recordFileName,
  temporaryFileName,
} from './file-names.ts';
import { privateDirectory, type RecordFiles, recordFiles } from './files.ts';
import { RecordList } from './record-list.ts';

/** A file that was to become a record is removed when it is so old, in milliseconds. Its program has ended. */
const abandonedMs = 60 * 60 * 1000;

/**
 * Keeps each record in a file of its own.
 *
 * @param files - How the files are written and read.
 * @param onUnreadable - Takes a sentence about a file that cannot be listed.
 */
export async function directoryStorage(
  directory: string,
  files: RecordFiles = recordFiles,
  onUnreadable: (why: string) => void = () => {},
): Promise<TranscriptStorage> {
  try {
    await privateDirectory(directory);
    // What is behind a link is looked up once. Nothing in the directory leads out of it.
    const storage = new DirectoryStorage(await realpath(directory), files, onUnreadable);
    await storage.removeLeftovers();
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
  readonly #list: RecordList;
  #shared: Promise<(id: string) => readonly string[]> | undefined;

  constructor(directory: string, files: RecordFiles, onUnreadable: (why: string) => void) {
    this.#directory = directory;
    this.#files = files;
    this.#list = new RecordList(directory, files, onUnreadable);
  }

  async append({ info: { id, writer }, mode, lines }: RecordBatch): Promise<void> {
    const path = join(this.#directory, recordFileName(id, writer));
    if (mode === 'append') return this.#files.append(path, lines);
    const temporary = join(this.#directory, temporaryFileName(writer, randomBytes(8).toString('hex')));
    try {
      await this.#create(temporary, lines);
      await this.#files.rename(temporary, path);
    } catch (error) {
      await this.#files.remove(temporary).catch(() => {});
      throw error;
    }
  }

  async #create(path: string, lines: string): Promise<void> {
    try {
      await this.#files.create(path, lines);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // Another program has removed the directory.
      await this.#files.makeDirectory(this.#directory);
      await this.#files.create(path, lines);
    }
  }

  async read(id: string, writers: readonly string[] = []): Promise<readonly StoredRecord[]> {
    try {
      const known = await this.#readAll(writers.map((writer) => recordFileName(id, writer)));
      if (known.length > 0 && known.length === writers.length) return known;
      return await this.#readCurrent(id);
    } catch (error) {
      throw new TranscriptError(
        'transcript.directory',
        `The transcript ${JSON.stringify(id)} cannot be read: ${errorMessage(error)}. Allow this user to read the files in ${JSON.stringify(this.#directory)}.`,
        { cause: error },
      );
    }
  }

  async #readCurrent(id: string): Promise<readonly StoredRecord[]> {
    let before: readonly string[] = [];
    for (;;) {
      const names = namesByTranscript(await this.#names())(id);
      const records = await this.#readAll(names);
      // What a record had that vanished meanwhile is in another one, which may have been read before.
      if (records.length === names.length || names.join() === before.join()) return records;
      before = names;
    }
  }

  async #readAll(names: readonly string[]): Promise<readonly StoredRecord[]> {
    const records = await Promise.all(names.map((name) => this.#read(name)));
    return records.filter((record) => record !== undefined);
  }

  async #read(name: string): Promise<StoredRecord | undefined> {
    const writer = parseFileName(name)?.writer;
    const bytes = await this.#files.read(join(this.#directory, name)).catch(ignoreAbsent);
    return writer === undefined || !bytes ? undefined : fileRecord(writer, bytes);
  }

  async *list({ cwd }: TranscriptFilter = {}): AsyncGenerator<ListedRecord> {
    for (const record of await this.#list.list(await this.#names())) {
      if (cwd === undefined || record.cwd === cwd) yield record;
    }
  }

  async remove(id: string, writers?: readonly string[]): Promise<void> {
    try {
      for (const name of (await this.#sharedNames())(id)) {
        if (writers?.includes(parseFileName(name)?.writer ?? '') === false) continue;
        const path = join(this.#directory, name);
        // Only a regular file is a record.
        if (this.#files.facts(path)?.isFile) await this.#files.remove(path).catch(ignoreAbsent);
      }
    } catch (error) {
      throw new TranscriptError(
        'transcript.directory',
        `The transcript ${JSON.stringify(id)} was not removed, or not completely: ${errorMessage(error)}. Allow this user to write in ${JSON.stringify(this.#directory)}, and remove it again.`,
        { cause: error },
      );
    }
  }

  /** Removes what programs have left that were killed. */
  async removeLeftovers(): Promise<void> {
    for (const name of await this.#names()) {
      const path = join(this.#directory, name);
      const facts = isTemporaryName(name) ? this.#files.facts(path) : undefined;
      const isAbandoned = facts && Date.now() - facts.mtimeMs > abandonedMs;
      if (isAbandoned) await this.#files.remove(path).catch(() => {});
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
function fileRecord(writer: string, bytes: Buffer): StoredRecord {
  let text: string | undefined;
  return {
    writer,
    bytes,
    get text() {
      text ??= bytes.toString();
      return text;
    },
  };
}

/** What another program has removed meanwhile is not there. A link is not a record. */
function ignoreAbsent(error: unknown): undefined {
  const code = codeOf(error);
  if (code !== 'ENOENT' && code !== 'ELOOP') throw error;
}
