import { basename, join, sep } from 'node:path';
import { codeOf, errorMessage } from '../../../core/base/diagnostic.ts';
import { macrotask } from '../../../core/transport/macrotask.ts';
import { infoOf, type LineInfo, parseLine, readHeader } from '../format.ts';
import type { ListedRecord, RecordInfo } from '../storage.ts';
import { idInName, parseFileName } from './file-names.ts';
import type { FileFacts, RecordFiles } from './files.ts';

/** After this many files it yields to other work of the program. */
const filesAtOnce = 256;

/** This many files are read at the same time. */
const readsAtOnce = 16;

/** How much is read of the end of a file first, in bytes. The last line of a complete record is shorter. */
const firstLength = 2048;

/** How much more is read each time when a line is longer. */
const growth = 16;

const lineFeed = 0x0a;

/** A file as it was when it was looked at. */
interface ListedFile extends FileFacts {
  readonly name: string;
  /** `undefined` if the file is not a record. */
  readonly info: RecordInfo | undefined;
}

/** What a list shows of the files of a directory. A file that has not changed is not read again. */
export class RecordList {
  readonly #directory: string;
  readonly #files: RecordFiles;
  readonly #onUnreadable: (why: string) => void;
  #known: ReadonlyMap<string, ListedFile> = new Map();

  /** @param onUnreadable - Takes a sentence about a file that is not listed. */
  constructor(directory: string, files: RecordFiles, onUnreadable: (why: string) => void) {
    this.#directory = directory;
    this.#files = files;
    this.#onUnreadable = onUnreadable;
  }

  /** The records in these files. */
  async list(names: readonly string[]): Promise<readonly ListedRecord[]> {
    const current = await this.#current(names);
    const listed: ListedFile[] = [];
    for (let start = 0; start < current.length; start += readsAtOnce)
      listed.push(
        ...(await Promise.all(current.slice(start, start + readsAtOnce).map((file) => this.#look(file)))),
      );
    this.#known = new Map(listed.map((file) => [file.name, file]));
    return listed.flatMap(({ info, size }) => (info ? [{ ...info, bytes: size }] : []));
  }

  async #current(names: readonly string[]): Promise<readonly (FileFacts & { readonly name: string })[]> {
    const current: (FileFacts & { readonly name: string })[] = [];
    for (const [index, name] of names.entries()) {
      if (index % filesAtOnce === filesAtOnce - 1) await new Promise<void>((resolve) => macrotask(resolve));
      if (!parseFileName(name)) continue;
      // `join` looks at each character of the directory again.
      const facts = this.#files.facts(`${this.#directory}${sep}${name}`);
      if (facts?.isFile) current.push({ name, ...facts });
    }
    return current;
  }

  async #look(file: FileFacts & { readonly name: string }): Promise<ListedFile> {
    const known = this.#known.get(file.name);
    if (known && isSame(file, known)) return known;
    const path = join(this.#directory, file.name);
    try {
      const info = await recordInfo(this.#files, path, file.size);
      if (!info) this.#tell(path, 'Its first line is not the header that belongs to its name');
      return { ...file, info };
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') this.#tell(path, errorMessage(error));
      // It is looked at again the next time.
      return { ...file, mtimeMs: Number.NaN, info: undefined };
    }
  }

  #tell(path: string, why: string): void {
    this.#onUnreadable(
      `The transcript in the file ${JSON.stringify(path)} is damaged, and is not listed: ${why}. Restore the file from a copy, or delete it.`,
    );
  }
}

function isSame(file: FileFacts, known: FileFacts): boolean {
  return known.size === file.size && known.mtimeMs === file.mtimeMs && known.ino === file.ino;
}

/**
 * What a list shows of a record, from its first and its last line. `undefined` if the file has no header that belongs to its
 * name: it would be listed, and could not be found. The last line may be cut off or damaged: then the one before it counts.
 */
async function recordInfo(files: RecordFiles, path: string, size: number): Promise<RecordInfo | undefined> {
  const header = readHeader(await firstLine(files, path, size));
  const name = basename(path);
  // The id of most transcripts is that of the session: one of both is enough.
  const id = header && idInName(name, [header.id, header.sessionId]);
  if (!header || id === undefined) return undefined;
  const { createdAt: _, firstAt: __, process: ___, includes: ____, ...info } = header;
  const { writer = '' } = parseFileName(name) ?? {};
  return { ...info, ...(await lastInfo(files, path, size, info)), id, writer };
}

async function firstLine(files: RecordFiles, path: string, size: number): Promise<string> {
  for (let length = firstLength; ; length *= growth) {
    const part = await files.readPart(path, 0, Math.min(length, size));
    const end = part.indexOf(lineFeed);
    if (end >= 0) return part.toString('utf8', 0, end);
    if (length >= size) return '';
  }
}

/** @param before - The info that the header has. */
async function lastInfo(files: RecordFiles, path: string, size: number, before: LineInfo): Promise<LineInfo> {
  for (let length = firstLength; ; length *= growth) {
    const start = Math.max(0, size - length);
    const part = await files.readPart(path, start, Math.min(length, size));
    const info = lastOf(part, start === 0, before);
    if (info) return info;
    if (start === 0) return before;
  }
}

/** The info of the last whole line in the part of a file. */
function lastOf(part: Buffer, isWhole: boolean, before: LineInfo): LineInfo | undefined {
  let end = part.lastIndexOf(lineFeed);
  while (end > 0) {
    const start = part.lastIndexOf(lineFeed, end - 1) + 1;
    if (start === 0 && !isWhole) return undefined;
    const line = parseLine(part.toString('utf8', start, end));
    if (line) return infoOf(line, before);
    end = start - 1;
  }
  return undefined;
}
