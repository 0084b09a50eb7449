import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];

/** The paths of the files of the repository, also of those that are not committed yet. */
export const trackedFiles: readonly string[] = execFileSync('git', list, { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(root, path)));
