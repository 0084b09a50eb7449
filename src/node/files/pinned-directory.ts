import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../core/base/diagnostic.ts';
import { changedPath } from './file-failure.ts';
import { assertInside, type Roots } from './roots.ts';

// Windows has neither flag.
const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/**
 * A directory inside the roots, in which files are named independently of the path that led to it.
 *
 * Between the check of a path and its use, a program can replace a directory on the way with a link. On Linux the
 * directory is opened, its real path is read from the descriptor, and files are named relative to the descriptor. On
 * other systems what was opened is compared with where the path leads afterwards. That does not detect a replacement
 * that is undone and made again between two calls. A directory that is created there, and a file that is
 * renamed, are not compared before.
 */
export class PinnedDirectory {
  readonly #roots: Roots;
  /** The path under which the system finds the directory. */
  readonly #base: string;
  /** Keeps `#base` pointing to the same directory. Absent on systems that cannot. */
  readonly #anchor: FileHandle | undefined;

  constructor(roots: Roots, base: string, anchor: FileHandle | undefined) {
    this.#roots = roots;
    this.#base = base;
    this.#anchor = anchor;
  }

  /** The path under which the system finds `name` in this directory. Valid only in this process and until `close`. */
  pathOf(name: string): string {
    return join(this.#base, name);
  }

  /** Opens a file of this directory. Does not follow a link. */
  async openFile(name: string, flags: number, mode?: number): Promise<FileHandle> {
    const path = this.pathOf(name);
    const handle = await open(path, flags | O_NOFOLLOW, mode);
    if (this.#anchor) return handle;
    try {
      await assertUnchanged(handle, path, this.#roots);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Opens the directory `name` in this one. Creates it if it does not exist. */
  async openChild(name: string): Promise<PinnedDirectory> {
    const path = this.pathOf(name);
    try {
      await mkdir(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    return pinDirectory(path, this.#roots);
  }

  async close(): Promise<void> {
    await this.#anchor?.close();
  }
}

/**
 * Opens a directory of the system.
 *
 * @param path - An existing directory. Its real path must be inside the roots.
 */
export async function pinDirectory(path: string, roots: Roots): Promise<PinnedDirectory> {
  if (process.platform === 'win32') {
    const realPath = await realPathInside(path, roots);
    if (!(await stat(realPath)).isDirectory()) {
      // As systems answer that can open only directories.
      throw Object.assign(new Error(`${realPath} is not a directory.`), { code: 'ENOTDIR' });
    }
    return new PinnedDirectory(roots, realPath, undefined);
  }
  const handle = await open(path, constants.O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  let anchored = false;
  try {
    const descriptorPath = `/proc/self/fd/${handle.fd}`;
    const realPath = await readlink(descriptorPath).catch(() => undefined);
    if (realPath === undefined) {
      return new PinnedDirectory(roots, await assertUnchanged(handle, path, roots), undefined);
    }
    await assertInside(realPath, roots);
    anchored = true;
    return new PinnedDirectory(roots, descriptorPath, handle);
  } finally {
    if (!anchored) await handle.close();
  }
}

/** Returns the real path of `path`, after checking that it leads to what was opened. */
async function assertUnchanged(handle: FileHandle, path: string, roots: Roots): Promise<string> {
  const realPath = await realPathInside(path, roots);
  const [opened, found] = await Promise.all([handle.stat(), stat(realPath)]);
  if (opened.dev !== found.dev || opened.ino !== found.ino) throw changedPath();
  return realPath;
}

async function realPathInside(path: string, roots: Roots): Promise<string> {
  const realPath = await realpath(path);
  await assertInside(realPath, roots);
  return realPath;
}
