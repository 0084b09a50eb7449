import { constants } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { changedPath, fileFailure, notFound, refused } from './file-failure.ts';
import { holdFolderOf, realFile } from './file-location.ts';
import { HeldFolder } from './held-folder.ts';
import { LineRange } from './line-range.ts';
import {
  absolutePath,
  arrayOf,
  assertOptions,
  type Check,
  callback,
  oneOf,
  optional,
  wholeNumber,
} from './options.ts';
import { replaceFile } from './replace-file.ts';
import { Roots } from './roots.ts';

/** What of the disk is served, and how. */
export interface NodeFileSystemOptions {
  /** The folders, absolute, outside of which nothing is read or written: those of the session. */
  readonly roots: readonly string[];
  /**
   * What the editor shows for a file, where it has it open with changes that are not saved; `undefined` to read the
   * file itself. Asked only for paths inside the roots.
   */
  readonly openBuffer?: ((path: string) => string | undefined | Promise<string | undefined>) | undefined;
  /** The most that one request may read, in bytes. Default: 32 MiB. More is refused; a part may be asked for. */
  readonly maxReadBytes?: number | undefined;
  /**
   * What reading a missing file answers. `error` is what the protocol says, and the default. Some agents take any
   * error for a failure and cannot create files then: `empty` answers an empty text.
   */
  readonly missingFile?: 'error' | 'empty' | undefined;
}

/** What the agent wants to read. */
export interface ReadTextFileRequest {
  /** Absolute. */
  readonly path: string;
  /** The first line wanted, counted from 1. */
  readonly line?: number | null | undefined;
  /** How many lines are wanted. */
  readonly limit?: number | null | undefined;
}

/** What the agent wants to write. */
export interface WriteTextFileRequest {
  /** Absolute. */
  readonly path: string;
  readonly content: string;
}

/** The two handlers of files, to be spread into `handlers`. */
export interface NodeFileSystem {
  /** Reads a file, or a part of it. Throws a `RequestError` that says why not. */
  readTextFile(request: ReadTextFileRequest): Promise<{ content: string }>;
  /** Writes a file in one step. Throws a `RequestError` that says why not. */
  writeTextFile(request: WriteTextFileRequest): Promise<void>;
}

const defaultMaxReadBytes = 32 * 1024 * 1024;
const chunkBytes = 256 * 1024;

/**
 * Serves files from the disk to the agent, inside `roots` only: wherever `..` and links lead, and on Linux also if a
 * folder is exchanged for a link while a request is served. On other systems what is read is checked again after it
 * was opened, and what is written is not safe from a program that exchanges folders at that very moment.
 *
 * Text is UTF-8; a file that is not is refused, as writing it back would destroy it. Line ends and a byte order mark
 * are given as they are. A write replaces the file in one step: a reader sees the old text or the new one, never a
 * part. It keeps the mode, makes missing folders, writes through links that stay inside the roots, and parts a file
 * from its other hard links.
 *
 * Refusals are answered with `RequestError`: -32002 for a missing file, -32602 for a path that is relative or outside
 * the roots, -32603 where the system denies it.
 *
 * @example
 * const connection = await connect(agent, { clientInfo, handlers: nodeFileSystem({ roots: [cwd] }) });
 * @see https://agentclientprotocol.com/protocol/file-system
 */
export function nodeFileSystem(options: NodeFileSystemOptions): NodeFileSystem {
  assertOptions('nodeFileSystem', options, optionChecks);
  const roots = new Roots([...options.roots]);
  const maxReadBytes = options.maxReadBytes ?? defaultMaxReadBytes;

  return {
    async readTextFile(request) {
      const path = pathOf(request.path);
      const range = rangeOf(request, path);
      try {
        const real = await realFile(path, roots);
        const buffer = await options.openBuffer?.(path);
        if (buffer !== undefined) range.push(Buffer.from(buffer));
        else if (real !== undefined) await readRange(real, roots, range, maxReadBytes);
        else if (options.missingFile !== 'empty') throw notFound(path);
      } catch (error) {
        throw fileFailure(error, path);
      }
      if (range.byteLength > maxReadBytes) throw tooMuch(path, maxReadBytes);
      return { content: decode(range.bytes(), path) };
    },

    async writeTextFile(request) {
      const path = pathOf(request.path);
      try {
        const real = await realFile(path, roots);
        const folder = await holdFolderOf(real ?? path, roots);
        try {
          await replaceFile(folder, basename(real ?? path), request.content);
        } finally {
          await folder.release();
        }
      } catch (error) {
        throw fileFailure(error, path);
      }
    },
  };
}

/** The agent's path, absolute and without `..`. Links come later. */
function pathOf(path: string): string {
  if (!isAbsolute(path)) throw refused(`"${path}" is a relative path. Pass an absolute one.`, path);
  if (path.includes('\0')) throw refused('The path has a zero character in it.', path);
  return resolve(path);
}

function rangeOf({ line, limit }: ReadTextFileRequest, path: string): LineRange {
  // The wire allows a line 0, which is before the first.
  for (const [name, value] of Object.entries({ line, limit })) {
    if (value == null || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw refused(`${name} is ${value}: pass a whole number, from 1 for line.`, path);
  }
  return new LineRange(Math.max(line ?? 1, 1), limit ?? Number.POSITIVE_INFINITY);
}

async function readRange(real: string, roots: Roots, range: LineRange, maxReadBytes: number): Promise<void> {
  const folder = await HeldFolder.hold(dirname(real), roots);
  try {
    // Opening a pipe would otherwise wait for its writer.
    const file = await folder.open(basename(real), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!(await file.stat()).isFile()) throw changedPath();
      while (!range.complete && range.byteLength <= maxReadBytes) {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes));
        if (bytesRead === 0) break;
        range.push(buffer.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  } finally {
    await folder.release();
  }
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused(`${path} is not text in UTF-8.`, path);
  }
}

function tooMuch(path: string, maxReadBytes: number) {
  return refused(
    `That is more than ${maxReadBytes} bytes of ${path}. Ask for a part, with line and limit.`,
    path,
  );
}

const optionChecks: Readonly<Record<keyof NodeFileSystemOptions, Check>> = {
  roots: arrayOf(absolutePath),
  openBuffer: optional(callback),
  maxReadBytes: optional(wholeNumber(1, 256 * 1024 * 1024)),
  missingFile: optional(oneOf('error', 'empty')),
};
