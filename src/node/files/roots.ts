import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';

/** A path leads outside the directories that an agent may use. */
export class OutsideRootsError extends Error {
  override readonly name = 'OutsideRootsError';
  readonly folders: Roots;

  constructor(folders: Roots) {
    super('The path is outside the roots.');
    this.folders = folders;
  }
}

/** The directories that an agent may use, as they were given: absolute, possibly links. */
export type Roots = readonly string[];

/**
 * Throws `OutsideRootsError` unless `realPath` is a root or inside one.
 *
 * @param realPath - A path as `realpath` returns it: without links, and in the case of the file system.
 */
export async function assertInside(realPath: string, roots: Roots): Promise<void> {
  if ((await rootOf(realPath, roots)) === undefined) throw new OutsideRootsError(roots);
}

/** The real path of the root that `realPath` is, or is inside. `undefined` if there is none. */
export async function rootOf(realPath: string, roots: Roots): Promise<string | undefined> {
  // Resolved for each call: a root can be a link, and can be created during the session.
  const folders = await Promise.all(roots.map((folder) => realpath(folder).catch(() => undefined)));
  return folders.find((folder) => folder !== undefined && isInside(folder, realPath));
}

// Compares whole names: /home/me/app-secret begins with /home/me/app, but is not inside it.
function isInside(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}
