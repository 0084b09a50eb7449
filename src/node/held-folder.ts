import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { changedPath, codeOf } from './file-failure.ts';
import type { Roots } from './roots.ts';

// Windows has neither; there it takes a special right to make a link.
const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

/**
 * A folder inside the roots, in which files can be named whatever becomes of the path that led to it.
 *
 * Between the check of a path and its use, a folder on the way may be exchanged for a link. On Linux the folder is
 * opened, the system is asked what has been opened, and files are named relative to that. Elsewhere what was opened
 * is compared with where its path leads afterwards: an exchange back and forth between two calls is not seen there.
 */
export class HeldFolder {
  readonly #roots: Roots;
  /** Names the folder to the system. */
  readonly #base: string;
  /** Keeps `#base` the same folder; absent where the system cannot. */
  readonly #anchor: FileHandle | undefined;

  private constructor(roots: Roots, base: string, anchor: FileHandle | undefined) {
    this.#roots = roots;
    this.#base = base;
    this.#anchor = anchor;
  }

  /** @param path a folder that exists; it must be inside the roots, wherever links on the way lead */
  static async hold(path: string, roots: Roots): Promise<HeldFolder> {
    if (process.platform === 'win32') return new HeldFolder(roots, await insideNow(path, roots), undefined);
    const handle = await open(path, constants.O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    let anchored = false;
    try {
      const byNumber = `/proc/self/fd/${handle.fd}`;
      const opened = await readlink(byNumber).catch(() => undefined);
      if (opened === undefined) return new HeldFolder(roots, await sameNow(handle, path, roots), undefined);
      await roots.assertInside(opened);
      anchored = true;
      return new HeldFolder(roots, byNumber, handle);
    } finally {
      if (!anchored) await handle.close();
    }
  }

  /** The path by which the system finds `name` in this folder. It means nothing to anybody else. */
  pathOf(name: string): string {
    return join(this.#base, name);
  }

  /** Opens a file of this folder, and nothing that a link of that name leads to. */
  async open(name: string, flags: number, mode?: number): Promise<FileHandle> {
    const path = this.pathOf(name);
    const handle = await open(path, flags | O_NOFOLLOW, mode);
    if (this.#anchor) return handle;
    try {
      await sameNow(handle, path, this.#roots);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Holds the folder `name` in this one, which is made if there is none. */
  async enter(name: string): Promise<HeldFolder> {
    const path = this.pathOf(name);
    try {
      await mkdir(path);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    return HeldFolder.hold(path, this.#roots);
  }

  async release(): Promise<void> {
    await this.#anchor?.close();
  }
}

/** Where `path` leads now, which must be what has been opened. */
async function sameNow(handle: FileHandle, path: string, roots: Roots): Promise<string> {
  const now = await insideNow(path, roots);
  const [opened, found] = await Promise.all([handle.stat(), stat(now)]);
  if (opened.dev !== found.dev || opened.ino !== found.ino) throw changedPath();
  return now;
}

async function insideNow(path: string, roots: Roots): Promise<string> {
  const now = await realpath(path);
  await roots.assertInside(now);
  return now;
}
