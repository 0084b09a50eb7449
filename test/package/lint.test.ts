import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { expect, test } from 'vitest';
import budgets from '../../budgets.json' with { type: 'json' };
import { root } from './entries.ts';
import { tarball } from './installed.ts';

const run = promisify(execFile);

test('publint reports nothing about the package', async () => {
  const packed = new Uint8Array(await readFile(tarball())).buffer;
  const { messages } = await publint({ pack: { tarball: packed }, strict: true });
  // A condition of `exports` cannot leave out files that an entry loads late. The field `browser` can.
  const expected = 'USE_EXPORTS_OR_IMPORTS_BROWSER';
  expect(messages.filter(({ code }) => code !== expected)).toEqual([]);
});

/** What only a bundler or a page imports. */
const forPages = ['entry.css', 'panel-element'];

test('the types of every entry are found by import and by require', async () => {
  const attw = ['node_modules/@arethetypeswrong/cli/dist/index.js', tarball(), '--format', 'json'];
  const { stdout } = await run(
    process.execPath,
    [...attw, '--profile', 'node16', '--exclude-entrypoints', ...forPages, 'conversation.schema.json'],
    { cwd: root },
  );
  const problems: { readonly resolutionKind?: string }[] = Object.values(
    JSON.parse(stdout).problems,
  ).flat() as never;
  // The module resolution for Node 10 does not know `exports`.
  expect(problems.filter(({ resolutionKind }) => resolutionKind !== 'node10')).toEqual([]);
});

test('knip finds neither unused code nor undeclared dependencies', async () => {
  const knip = run(process.execPath, ['node_modules/knip/bin/knip.js', '--no-progress'], { cwd: root });
  const { stdout } = await knip.catch((error: { readonly stdout: string }) => error);
  expect(stdout.trim()).toBe('');
});

test('the lock file does not name a registry', async () => {
  const lock = await readFile(`${root}/package-lock.json`, 'utf8');
  expect([...lock.matchAll(/"resolved": "(https?:[^"]*)"/g)].map(([, address]) => address)).toEqual([]);
});

test('the published package unpacks to less than its budget', async () => {
  // Each line of the listing has the size of a file in its third column.
  const { stdout } = await run('tar', ['-tvzf', tarball(), '--numeric-owner']);
  const sizes = stdout
    .trim()
    .split('\n')
    .map((line) => Number(line.split(/\s+/)[2]));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThanOrEqual(budgets.package.unpackedBytes);
  expect(total).toBeGreaterThan(2_000_000);
});
