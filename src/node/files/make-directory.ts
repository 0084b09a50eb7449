import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../../core/base/diagnostic.ts';

/** Only this user can enter a directory that is made. */
const mode = 0o700;

/**
 * Makes a directory, and those above it that do not exist, for this user only. Has no effect on a directory that exists.
 *
 * `mkdir` of Node with `recursive` never returns below `/proc` and other directories in which nothing can be made: the
 * system says ENOENT there although the directory above exists.
 */
export async function makeDirectory(path: string): Promise<void> {
  try {
    await makeOne(path);
  } catch (error) {
    const above = dirname(path);
    if (codeOf(error) !== 'ENOENT' || above === path) throw error;
    await makeDirectory(above);
    await makeOne(path);
  }
}

async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    // Some file systems have another code than EEXIST for a directory that exists.
    if ((await stat(path).catch(() => undefined))?.isDirectory()) return;
    throw error;
  }
}
