import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testsOf } from '../mutation/tests.mjs';
import { files, folderOf } from './imports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
// What only names and passes on has nothing to change.
const rooms = new Set(files.map(folderOf).filter((room) => room !== 'entries'));

test.each([...rooms])('the mutation script has tests for src/%s', (name) => {
  const entry = testsOf.find(({ sources }) => `src/${name}/`.startsWith(sources));
  expect(entry?.sources).toBe(`src/${name}/`);
});

test.each(testsOf.flatMap(({ tests }) => tests))('the tests %s are there', (pattern) => {
  const files = execFileSync('git', ['ls-files', `:(glob)${pattern}`], { cwd: root, encoding: 'utf8' });
  expect(files).not.toBe('');
});
