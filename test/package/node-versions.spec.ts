import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findings, program } from './consumer.ts';
import { root } from './entries.ts';

// Needs the network: npm installs the tarball, what it depends on, and each Node as a package of that name.

const run = promisify(execFile);
const folders: string[] = [];
let tarball = '';

beforeAll(async () => {
  const folder = await newFolder();
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  tarball = join(folder, JSON.parse(stdout)[0].filename);
});
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'acp-node-'));
  folders.push(folder);
  return folder;
}

test.each(['20', '22', '24'])(
  'the package installs and works on Node %s',
  async (version) => {
    const cwd = await newFolder();
    await writeFile(join(cwd, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--no-audit', '--no-fund', `node@${version}`, tarball], {
      cwd,
      timeout: 300_000,
    });
    const node = join(cwd, 'node_modules/node/bin/node');
    expect((await run(node, ['--version'])).stdout).toContain(`v${version}.`);
    const source = await program();
    for (const [name, format] of [
      ['program.mjs', 'esm'],
      ['program.cjs', 'cjs'],
    ] as const) {
      const { code } = await transform(source, { loader: 'ts', format, target: 'node20' });
      await writeFile(join(cwd, name), code);
      const { stdout } = await run(node, [name], { cwd, timeout: 60_000 });
      expect(JSON.parse(stdout)).toEqual(findings);
    }
    const cli = join(cwd, 'node_modules/acp-client-sdk/dist/cli.js');
    const { stdout } = await run(node, [cli, 'sessions', '--json'], { cwd, timeout: 60_000 });
    expect(JSON.parse(stdout).length).toBeGreaterThan(0);
  },
  400_000,
);
