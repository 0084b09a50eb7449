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
  // Resolved for each call: a root can be a link, and can be created during the session.
  const folders = await Promise.all(roots.map((folder) => realpath(folder).catch(() => undefined)));
  if (folders.some((folder) => folder !== undefined && isInside(folder, realPath))) return;
  throw new OutsideRootsError(roots);
}

// Compares whole names: /home/me/app-secret begins with /home/me/app, but is not inside it.
function isInside(folder: string, path: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}
