import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { root } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

// The programs that run here take a few seconds, and on a busy machine many times that.
vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
});
afterAll(() => consumer?.remove());

test('publint finds nothing in the package', async () => {
  const tarball = new Uint8Array(await readFile(consumer.tarball)).buffer;
  const { messages } = await publint({ pack: { tarball }, strict: true });
  expect(messages).toEqual([]);
});

test('the types of every entry are found by import and by require', async () => {
  const attw = ['node_modules/@arethetypeswrong/cli/dist/index.js', consumer.tarball, '--format', 'json'];
  const { stdout } = await run(process.execPath, [...attw, '--profile', 'node16'], { cwd: root });
  const problems: { readonly resolutionKind?: string }[] = Object.values(
    JSON.parse(stdout).problems,
  ).flat() as never;
  // Entries of a package cannot be had by the resolution that TypeScript used for Node 10.
  expect(problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([]);
});

test('nothing in the repository is unused, and nothing that is used is undeclared', async () => {
  const knip = run(process.execPath, ['node_modules/knip/bin/knip.js', '--no-progress'], { cwd: root });
  const { stdout } = await knip.catch((error: { readonly stdout: string }) => error);
  expect(stdout.trim()).toBe('');
});

test('the lock file names no registry', async () => {
  const lock = await readFile(`${root}/package-lock.json`, 'utf8');
  expect([...lock.matchAll(/"resolved": "(https?:[^"]*)"/g)].map(([, place]) => place)).toEqual([]);
});

test('what is published is what users need', async () => {
  const { stdout } = await run('tar', ['-tzf', consumer.tarball]);
  const places = stdout
    .trim()
    .split('\n')
    .map((name) => name.split('/').slice(1));
  expect([...new Set(places.map(([first]) => first))].sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist',
    'docs',
    'package.json',
    'src',
  ]);
  const dist = places.filter(([first]) => first === 'dist').map(([, name]) => name);
  expect(dist).toContain('cli.js');
  expect(dist).not.toContain('cli.cjs');
});
