import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './entries.ts';

const run = promisify(execFile);

/** A project of somebody else's that has installed this package. */
export interface Consumer {
  readonly folder: string;
  /** The package as it was packed. */
  readonly tarball: string;
  /** Writes files of the project, by their names. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
  /** Makes a development dependency of this repository one of the project's as well. */
  install(name: string): Promise<void>;
  /** Runs Node in the project, for a minute at most. Rejects with what it printed if it fails. */
  node(...args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Packs the package and installs it in a new folder, with what it depends on and nothing else. It needs no network:
 * the tarball is unpacked by hand, and the dependencies are linked to those of this repository.
 */
export async function installPackage(): Promise<Consumer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'acp-consumer-')));
  const packed = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const tarball = join(folder, JSON.parse(packed.stdout)[0].filename);
  const home = join(folder, 'node_modules/acp-client-sdk');
  await mkdir(home, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  const install = async (name: string) => {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, 'node_modules', name), link, 'dir');
  };
  const { dependencies } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) await install(name);
  return {
    folder,
    tarball,
    install,
    async write(files) {
      for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    },
    async node(...args) {
      const { stdout } = await run(process.execPath, args, { cwd: folder, timeout: 60_000 });
      return stdout;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
