import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { codeOf, notFound, refused } from './file-failure.ts';
import { HeldFolder } from './held-folder.ts';
import type { Roots } from './roots.ts';

/**
 * The file that `path` leads to, without links; nothing if there is none. Either way it must be inside the roots, and
 * what is outside is refused in the same words whether it exists or not.
 */
export async function realFile(path: string, roots: Roots): Promise<string | undefined> {
  let real: string;
  try {
    real = await realpath(path);
  } catch (error) {
    await roots.assertInside((await nearestFolder(path)).real);
    if (codeOf(error) !== 'ENOENT') throw error;
    const link = await lstat(path).catch(() => undefined);
    if (link) throw refused(`${path} is a link to something that does not exist.`, path);
    return undefined;
  }
  await roots.assertInside(real);
  const found = await stat(real);
  if (found.isDirectory()) throw refused(`${path} is a folder. Name a file.`, path);
  if (!found.isFile()) throw refused(`${path} is no regular file.`, path);
  return real;
}

/** The first existing thing above `path`, without links, and the names from there to the folder of `path`. */
async function nearestFolder(path: string): Promise<{ real: string; missing: readonly string[] }> {
  const missing: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined) return { real, missing };
    // The topmost folder exists, or there is nothing that could be said of the path.
    if (folder === dirname(folder)) throw notFound(path);
    missing.unshift(basename(folder));
  }
}

/** Holds the folder of `path`, making those that are missing. */
export async function holdFolderOf(path: string, roots: Roots): Promise<HeldFolder> {
  const { real, missing } = await nearestFolder(path);
  let held = await HeldFolder.hold(real, roots);
  for (const name of missing) {
    try {
      const inner = await held.enter(name);
      await held.release();
      held = inner;
    } catch (error) {
      await held.release();
      throw error;
    }
  }
  return held;
}
