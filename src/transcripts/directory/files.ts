import { constants, lstatSync } from 'node:fs';
import { chmod, open, readdir, stat, unlink } from 'node:fs/promises';
import { makeDirectory } from '../../node/make-directory.ts';
import { renameFile } from '../../node/replace-file.ts';

/** What the index needs to know of a file. */
export interface FileFacts {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  readonly isFile: boolean;
}

/**
 * The functions of the file system that records are written and read with. Tests put one in between that fails, delays and
 * cuts.
 */
export interface RecordFiles {
  /** Appends to an existing file. Rejects with ENOENT if there is none. */
  append(path: string, text: string): Promise<void>;
  /** Writes a new file, so that it survives the end of the power. */
  create(path: string, text: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  read(path: string): Promise<Buffer>;
  /** At most so many bytes from a position on. */
  readPart(path: string, position: number, length: number): Promise<Buffer>;
  remove(path: string): Promise<void>;
  names(directory: string): Promise<readonly string[]>;
  /** `undefined` if there is no such file. Synchronous, because a list of 5,000 files would take a tenth of a second more. */
  facts(path: string): FileFacts | undefined;
}

// A link is refused where the system can do that. Windows has no such flag: there a link needs the right to make one.
const noFollow = constants.O_NOFOLLOW ?? 0;
const readFlags = constants.O_RDONLY | noFollow;
const appendFlags = constants.O_WRONLY | constants.O_APPEND | noFollow;
const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;

const fileMode = 0o600;
const directoryMode = 0o700;

export const recordFiles: RecordFiles = {
  async append(path, text) {
    const handle = await open(path, appendFlags);
    try {
      await handle.appendFile(text);
    } finally {
      await handle.close();
    }
  },
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
  async read(path) {
    const handle = await open(path, readFlags);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  },
  async readPart(path, position, length) {
    const handle = await open(path, readFlags);
    try {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await handle.read(buffer, 0, length, position);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  },
  remove: unlink,
  names: (directory) => readdir(directory),
  facts(path) {
    const facts = lstatSync(path, { throwIfNoEntry: false });
    if (!facts) return undefined;
    const { size, mtimeMs, ino } = facts;
    return { size, mtimeMs, ino, isFile: facts.isFile() };
  },
};

/** Creates the directory, or makes an existing one private. */
export async function privateDirectory(directory: string): Promise<void> {
  await makeDirectory(directory);
  const { mode, uid } = await stat(directory);
  const isOwn = process.getuid === undefined || uid === process.getuid();
  // On Windows the rights come from the directory above.
  if (process.platform !== 'win32' && isOwn && (mode & 0o077) !== 0) await chmod(directory, directoryMode);
}
