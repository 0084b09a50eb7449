import { constants } from 'node:fs';
import { basename, dirname, isAbsolute, resolve, sep } from 'node:path';
import * as v from 'valibot';
import { inOrder } from '../../core/base/in-order.ts';
import {
  callback,
  checkOptions,
  integerBetween,
  oneOf,
  optional,
  optionsObject,
} from '../../core/base/options.ts';
import {
  assertNotWithdrawn,
  assertWellFormed,
  refused,
  textOf,
} from '../../core/client/requests/file-answers.ts';
import { absolutePath, arrayOf, type NodeHandlerContext } from '../process/options.ts';
import { Slots } from '../process/slots.ts';
import { windowsPathError } from '../process/windows-path.ts';
import { shownText, writtenByEditor } from './editor-buffers.ts';
import { changedPath, fileFailure, fileNotFound } from './file-failure.ts';
import { openDirectoryOf, placeOf, realFile } from './file-location.ts';
import { LineRange } from './line-range.ts';
import { pinDirectory } from './pinned-directory.ts';
import { replaceFile } from './replace-file.ts';
import type { Roots } from './roots.ts';

/** Options of {@link nodeFileSystem}. */
export interface NodeFileSystemOptions {
  /**
   * Absolute paths of the directories that the agent is allowed to read and write: those of the session. A function is
   * called for each request, for an editor whose directories change. A `RequestError` that it throws is the answer.
   */
  readonly roots: readonly string[] | (() => readonly string[]);
  /**
   * Returns the text that the editor shows for a file with unsaved changes, or `undefined` to read the file. Called
   * only for paths inside the roots: with the path of the request and, if it returns `undefined` and the path leads
   * through a link, with the path without links.
   */
  readonly openBuffer?: ((path: string) => string | undefined | Promise<string | undefined>) | undefined;
  /**
   * Writes a file that the editor shows: replaces the text of its document, and saves it. Returns `true` when the file
   * has the new text, and `false` to write the file on disk. Called before each write, with the same paths as
   * `openBuffer`, and with each of them. Without it, a file with unsaved changes is changed on disk only: the next read
   * returns the unsaved text, and the user cannot save. The path was checked, but the editor opens the file again when
   * it saves.
   *
   * The message of an error is sent to the agent.
   */
  readonly writeBuffer?: ((path: string, content: string) => boolean | Promise<boolean>) | undefined;
  /**
   * The maximum number of bytes that one request reads. Default: 32 MiB. A larger request is refused; the agent can
   * request a part.
   */
  readonly maxReadBytes?: number | undefined;
  /**
   * The maximum number of bytes of a file that one request searches for lines. Default: 256 MiB. The rest of a larger
   * file cannot be read.
   */
  readonly maxScanBytes?: number | undefined;
  /**
   * The answer for a file that does not exist. `error`, the default, is what the protocol defines. Some agents treat
   * any error as a failure and then cannot create files: `empty` answers with an empty text.
   */
  readonly missingFile?: 'error' | 'empty' | undefined;
}

/** The two file handlers. Spread them into `handlers`. */
export interface NodeFileSystem {
  /**
   * Reads a file, or a part of it. Throws a `RequestError` with the reason if it cannot.
   *
   * @param request - `path` is absolute. `line` is the first line, counted from 1. `limit` is the number of lines.
   * @param context - Aborting `signal` ends the request and closes the file.
   */
  readTextFile(
    request: {
      readonly path: string;
      readonly line?: number | null | undefined;
      readonly limit?: number | null | undefined;
    },
    context?: NodeHandlerContext,
  ): Promise<{ content: string }>;
  /**
   * Creates or replaces a file: the editor does it if it shows the file, otherwise it is done in one step. A read
   * then returns this text. Throws a `RequestError` with the reason if it cannot.
   *
   * @param request - `path` is absolute.
   * @param context - Aborting `signal` before the file is replaced keeps the old text.
   */
  writeTextFile(
    request: { readonly path: string; readonly content: string },
    context?: NodeHandlerContext,
  ): Promise<void>;
}

type ReadRequest = Parameters<NodeFileSystem['readTextFile']>[0];

const defaultMaxReadBytes = 32 * 1024 * 1024;
/** The default of {@link NodeFileSystemOptions.maxScanBytes}. */
export const defaultMaxScanBytes = 256 * 1024 * 1024;
/** How many files are read at once. Their texts are in memory before the agent takes the first. */
export const maxConcurrentReads = 4;
const chunkBytes = 256 * 1024;

/**
 * Handlers that read and write files on disk, only inside `roots`. This includes paths with `..` and links. On Linux
 * it also holds when another program replaces a directory with a link during a request. On macOS and Windows, what was
 * opened is compared with where its path leads afterwards. This does not find a replacement that is undone and made
 * again between two calls of the system, or one just before a missing directory is created or a new file gets its name.
 *
 * Requests for one file are served in the order in which they arrive: a read after a write returns the new text, and the
 * last write stays. This holds for each spelling of its path, and through links.
 *
 * Text is UTF-8. A file with other bytes is refused, because writing the text back would damage it. Line ends and a
 * byte order mark are kept. A write replaces the file in one step: a reader sees the old text or the new text. It
 * keeps the mode, creates missing directories, and follows links that stay inside the roots. Other hard links to the
 * file keep the old text. A file that the editor shows is read and written through `openBuffer` and `writeBuffer`. If
 * this process ends during a write, a file with a name such as `.1b4e28ba-2fa1-11d2-883f-0016d3cca427.tmp` can stay in
 * the directory.
 *
 * Errors are of type `RequestError`: -32002 for a missing file, -32602 for a path that is relative or outside the
 * roots, -32603 if the system denies access.
 *
 * @example
 * const connection = await connect(agent, { clientInfo, handlers: nodeFileSystem({ roots: [cwd] }) });
 * @see https://agentclientprotocol.com/protocol/file-system
 */
export function nodeFileSystem(options: NodeFileSystemOptions): NodeFileSystem {
  checkOptions('nodeFileSystem', optionsSchema, options);
  const rootsNow = rootsOf(options.roots);
  const { maxReadBytes = defaultMaxReadBytes, maxScanBytes = defaultMaxScanBytes } = options;
  const reads = new Slots(maxConcurrentReads);
  const places = inOrder();
  const files = inOrder();

  /** Serves a request after those that came before it for the same file. Reads are served beside each other. */
  const inTurn = async <T>(
    order: 'alone' | 'together',
    path: string,
    signal: AbortSignal | undefined,
    serve: () => Promise<T>,
  ): Promise<T> => {
    try {
      // All requests are in one row until it is known which file they mean.
      const place = await places.alone('', () => placeOf(path));
      return await files[order](place, async () => {
        assertNotWithdrawn(signal);
        return serve();
      });
    } catch (error) {
      throw fileFailure(error, path);
    }
  };

  /** Passes chunks to `range` until it is complete, or has more than `maxReadBytes`. */
  const scan = async (
    chunks: AsyncIterable<Buffer>,
    range: LineRange,
    path: string,
    signal?: AbortSignal,
  ) => {
    let scannedBytes = 0;
    for await (const chunk of chunks) {
      assertNotWithdrawn(signal);
      range.push(chunk);
      if (range.complete || range.byteLength > maxReadBytes) return;
      scannedBytes += chunk.length;
      if (scannedBytes > maxScanBytes) {
        throw refused(
          `The requested lines of ${path} are not within its first ${maxScanBytes} bytes, which is as far as the editor reads. Ask for earlier lines.`,
          path,
        );
      }
    }
  };
  const contentOf = (range: LineRange, path: string) => {
    if (range.byteLength > maxReadBytes) {
      throw refused(
        `The requested part of ${path} is larger than ${maxReadBytes} bytes. Ask for a smaller part, with line and limit.`,
        path,
      );
    }
    return { content: textOf(range.bytes(), path) };
  };

  return {
    async readTextFile(request, { signal } = {}) {
      const roots = rootsNow();
      const path = pathOf(request.path, roots);
      const range = rangeOf(request, path);
      return inTurn('together', path, signal, async () => {
        const realPath = await realFile(path, roots);
        const buffer = await shownText(options, path, realPath);
        assertNotWithdrawn(signal);
        if (buffer !== undefined) range.push(Buffer.from(buffer));
        else if (realPath !== undefined) {
          return reads.run(signal, async () => {
            await scan(fileChunks(realPath, roots), range, path, signal);
            return contentOf(range, path);
          });
        } else if (options.missingFile !== 'empty') throw fileNotFound(path);
        return contentOf(range, path);
      });
    },

    async writeTextFile(request, { signal } = {}) {
      const roots = rootsNow();
      const path = pathOf(request.path, roots);
      assertWellFormed('The content', request.content, path);
      return inTurn('alone', path, signal, async () => {
        const realPath = await realFile(path, roots);
        assertNotWithdrawn(signal);
        if (await writtenByEditor(options, path, realPath, request.content)) return;
        const directory = await openDirectoryOf(realPath ?? path, roots);
        try {
          assertNotWithdrawn(signal);
          await replaceFile(directory, basename(realPath ?? path), request.content);
        } finally {
          await directory.close();
        }
      });
    },
  };
}

/** The roots of a request. */
function rootsOf(roots: NodeFileSystemOptions['roots']): () => Roots {
  if (typeof roots !== 'function') {
    const fixed = [...roots];
    return () => fixed;
  }
  return () => {
    const folders = roots();
    checkOptions('The function roots of nodeFileSystem', currentRootsSchema, { roots: folders });
    return [...folders];
  };
}

/** The path of a request without `..`. Links are resolved later. */
function pathOf(path: string, roots: Roots): string {
  if (!isAbsolute(path)) throw refused(`"${path}" is a relative path. Pass an absolute one.`, path);
  if (path.includes('\0')) throw refused('The path contains a NUL character. Remove it.', path);
  assertWellFormed('The path', path, path);
  const lastName = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf(sep)) + 1);
  if (/^\.{0,2}$/.test(lastName)) throw refused(`${path} names a directory. Name a file.`, path);
  const error = process.platform === 'win32' ? windowsPathError(path, roots) : undefined;
  if (error) throw error;
  return resolve(path);
}

function rangeOf({ line, limit }: ReadRequest, path: string): LineRange {
  // The schema of the protocol allows line 0. It selects the same as line 1.
  for (const [name, value] of Object.entries({ line, limit })) {
    if (value == null || (Number.isSafeInteger(value) && value >= 0)) continue;
    const least = name === 'line' ? 1 : 0;
    throw refused(`${name} must be a whole number of at least ${least}; got ${value}.`, path);
  }
  return new LineRange(Math.max(line ?? 1, 1), limit ?? Number.POSITIVE_INFINITY);
}

/** The content of a file. The file is open until the loop over the chunks ends. */
async function* fileChunks(realPath: string, roots: Roots): AsyncIterable<Buffer> {
  const directory = await pinDirectory(dirname(realPath), roots);
  try {
    // Without O_NONBLOCK, opening a pipe waits for a writer.
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
    const file = await directory.openFile(basename(realPath), flags);
    try {
      if (!(await file.stat()).isFile()) throw changedPath();
      for (;;) {
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes));
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  } finally {
    await directory.close();
  }
}

const folders = arrayOf(absolutePath);
const currentRootsSchema = optionsObject({ roots: folders });

const optionsSchema = optionsObject({
  roots: v.lazy((roots) => (typeof roots === 'function' ? callback : folders)),
  openBuffer: optional(callback),
  writeBuffer: optional(callback),
  maxReadBytes: optional(integerBetween(1, 256 * 1024 * 1024)),
  maxScanBytes: optional(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  missingFile: optional(oneOf('error', 'empty')),
} satisfies Record<keyof NodeFileSystemOptions, v.GenericSchema>);
