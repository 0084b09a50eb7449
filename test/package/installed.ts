import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { root } from './entries.ts';

const run = promisify(execFile);

/** A project that has installed this package. */
export interface Consumer {
  readonly folder: string;
  /** Writes files of the project, by their names. Makes the folders that they are in. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Links a development dependency of this repository into the project. */
  install(name: string): Promise<void>;
  /** Runs Node in the project, for at most a minute. Rejects with its output if it fails. */
  node(...args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/** Path of the package as it is published. */
export function tarball(): string {
  const path = inject('tarball');
  if (path === null) throw new Error('dist/ is missing: run "npm run build" first.');
  return path;
}

/**
 * Installs the packed package in a new folder, with its dependencies and nothing else. Needs no network: unpacks the
 * tarball, and links the dependencies to those of this repository.
 */
export async function installPackage(): Promise<Consumer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'acp-consumer-')));
  const home = join(folder, 'node_modules/acp-client-sdk');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', tarball(), '-C', home, '--strip-components=1']);
  const install = async (name: string) => {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link, 'dir');
  };
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) await install(name);
  return {
    folder,
    install,
    async write(files) {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), content);
      }
    },
    async node(...args) {
      const { stdout } = await run(process.execPath, args, { cwd: folder, timeout: 60_000 });
      return stdout;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
