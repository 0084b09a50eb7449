import type { Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../core/base/diagnostic.ts';
import { refused } from '../../core/client/requests/file-answers.ts';
import { fileNotFound } from './file-failure.ts';
import { type PinnedDirectory, pinDirectory } from './pinned-directory.ts';
import { assertInside, type Roots } from './roots.ts';

/**
 * The real path of the file at `path`, or `undefined` if there is no file. Both must be inside the roots. The error for
 * a path outside does not depend on whether the file exists.
 */
export async function realFile(path: string, roots: Roots): Promise<string | undefined> {
  let realPath: string;
  try {
    realPath = await realpath(path);
  } catch (error) {
    await assertInside((await nearestDirectory(path)).realPath, roots);
    if (codeOf(error) !== 'ENOENT') throw error;
    // Throws for example for a path that is too long: a file there could be written step by step, but not be read.
    const entry = await entryAt(path);
    if (!entry) return undefined;
    if (entry.isSymbolicLink()) throw refused(`${path} is a link to something that does not exist.`, path);
    // Another program has created it meanwhile.
    realPath = await realpath(path);
  }
  await assertInside(realPath, roots);
  const found = await stat(realPath);
  if (found.isDirectory()) throw refused(`${path} is a directory. Name a file.`, path);
  if (!found.isFile()) throw refused(`${path} is not a regular file.`, path);
  return realPath;
}

/** Where `path` leads: the same text for each spelling of one file, also of one that does not exist yet. */
export async function placeOf(path: string): Promise<string> {
  const place = await realpath(path).catch(async () => {
    const { realPath, missing } = await nearestDirectory(path);
    return join(realPath, ...missing, basename(path));
  });
  // Many systems take these spellings for one. Where they do not, two files wait for each other.
  return place.normalize().toLowerCase();
}

/** What is at `path`, which can be a link, or `undefined` if there is nothing. */
export function entryAt(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(nothing);
}

/** For a look at a path: `undefined` if there is nothing. */
export function nothing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

/** The nearest existing directory above `path`, and the missing names between it and the last name of `path`. */
async function nearestDirectory(path: string): Promise<{ realPath: string; missing: readonly string[] }> {
  const missing: string[] = [];
  for (let directory = dirname(path); ; directory = dirname(directory)) {
    const realPath = await realpath(directory).catch(() => undefined);
    if (realPath !== undefined) return { realPath, missing };
    // The topmost directory always exists, except for a drive that is not there.
    if (directory === dirname(directory)) throw fileNotFound(path);
    missing.unshift(basename(directory));
  }
}

/** Opens the directory of `path`, and creates the directories that are missing. */
export async function openDirectoryOf(path: string, roots: Roots): Promise<PinnedDirectory> {
  const { realPath, missing } = await nearestDirectory(path);
  let directory = await pinDirectory(realPath, roots);
  for (const name of missing) {
    const parent = directory;
    try {
      directory = await parent.openChild(name);
    } finally {
      await parent.close();
    }
  }
  return directory;
}
