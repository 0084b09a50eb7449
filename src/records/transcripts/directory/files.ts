import { constants, lstatSync } from 'node:fs';
import { chmod, type FileHandle, open, readdir, stat, unlink } from 'node:fs/promises';
import { makeDirectory } from '../../../node/files/make-directory.ts';
import { renameFile } from '../../../node/files/replace-file.ts';

/** What a list needs to know of a file. */
export interface FileFacts {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  readonly isFile: boolean;
}

/**
 * The functions of the file system that records are written and read with. Tests put one in between that fails, delays and
 * cuts. Where a name belongs to something else than a regular file, such as a pipe, there is no file.
 */
export interface RecordFiles {
  /** Appends to an existing file. Rejects with ENOENT if there is none. */
  append(path: string, text: string): Promise<void>;
  /** Writes a new file, so that it survives the end of the power. */
  create(path: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Rejects with ENOENT if there is none. */
  read(path: string): Promise<Buffer>;
  /** At most this many bytes from a position on. */
  readPart(path: string, position: number, length: number): Promise<Buffer>;
  remove(path: string): Promise<void>;
  names(directory: string): Promise<readonly string[]>;
  /** Makes the directory again that was removed. */
  makeDirectory(directory: string): Promise<void>;
  /** `undefined` if there is no such file. Synchronous, because a list of 5,000 files would take a tenth of a second more. */
  facts(path: string): FileFacts | undefined;
}

// A link is refused where the system can do that. Windows has no such flag: there a link needs the right to make one.
const noFollow = constants.O_NOFOLLOW ?? 0;
// To open a pipe waits for its other end otherwise. Windows has no such flag.
const nonBlocking = constants.O_NONBLOCK ?? 0;
const appendFlags = constants.O_WRONLY | constants.O_APPEND;
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

const fileMode = 0o600;
const directoryMode = 0o700;

export const recordFiles: RecordFiles = {
  append: (path, text) => withFile(path, appendFlags, (handle) => handle.appendFile(text)),
  async create(path, text) {
    const handle = await open(path, createFlags, fileMode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  rename: renameFile,
  read: (path) => withFile(path, constants.O_RDONLY, (handle) => handle.readFile()),
  readPart: (path, position, length) =>
    withFile(path, constants.O_RDONLY, async (handle) => {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await handle.read(buffer, 0, length, position);
      return buffer.subarray(0, bytesRead);
    }),
  remove: unlink,
  names: (directory) => readdir(directory),
  makeDirectory: privateDirectory,
  facts(path) {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (!facts) return undefined;
    const { size, mtimeMs, ino } = facts;
    return { size, mtimeMs, ino, isFile: facts.isFile() };
  },
};

/** Uses an existing file. Something else than a regular file is not opened: a pipe or a device can wait for ever. */
async function withFile<T>(path: string, flags: number, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  if (!recordFiles.facts(path)?.isFile) throw noFile(path);
  const handle = await open(path, flags | noFollow | nonBlocking);
  try {
    // Another program may have put something else there since.
    if (!(await handle.stat()).isFile()) throw noFile(path);
    return await use(handle);
  } finally {
    await handle.close();
  }
}

function noFile(path: string): Error {
  return Object.assign(new Error(`ENOENT: there is no regular file ${JSON.stringify(path)}`), {
    code: 'ENOENT',
  });
}

/** Creates the directory, or makes an existing one private. */
export async function privateDirectory(directory: string): Promise<void> {
  await makeDirectory(directory);
  const { mode, uid } = await stat(directory);
  const isOwn = process.getuid === undefined || uid === process.getuid();
  // On Windows the rights come from the directory above.
  if (process.platform !== 'win32' && isOwn && (mode & 0o077) !== 0) await chmod(directory, directoryMode);
}
