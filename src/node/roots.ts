import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/** A path leads outside the folders that an agent may use. */
export class OutsideRootsError extends Error {
  override readonly name = 'OutsideRootsError';
  readonly folders: readonly string[];

  constructor(folders: readonly string[]) {
    super('The path is outside the roots.');
    this.folders = folders;
  }
}

/** The folders that an agent may use. */
export class Roots {
  readonly #folders: readonly string[];

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /**
   * Throws `OutsideRootsError` unless `real` is one of the roots or inside one.
   * @param real a path without links in it, spelled as the file system spells it
   */
  async assertInside(real: string): Promise<void> {
    // Each time anew: a root may be a link, or come to exist, while the session goes on.
    const folders = await Promise.all(this.#folders.map((folder) => realpath(folder).catch(() => undefined)));
    if (folders.some((folder) => folder !== undefined && isInside(folder, real))) return;
    throw new OutsideRootsError(this.#folders);
  }
}

// By whole names: /home/me/app-secret begins with /home/me/app and is not inside it.
function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
