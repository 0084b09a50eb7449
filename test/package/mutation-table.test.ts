import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testsOf } from '../mutation/tests.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const rooms = readdirSync(`${root}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** The model has only types, which no test can notice at run time. */
const onlyTypes = ['model'];

test.each(rooms.map(({ name }) => name).filter((name) => !onlyTypes.includes(name)))(
  'the mutation script has tests for src/%s',
  (name) => {
    const entry = testsOf.find(({ sources }) => `src/${name}/`.startsWith(sources));
    expect(entry?.sources).toBe(`src/${name}/`);
  },
);

test.each(testsOf.flatMap(({ tests }) => tests))('the tests %s are there', (pattern) => {
  const files = execFileSync('git', ['ls-files', `:(glob)${pattern}`], { cwd: root, encoding: 'utf8' });
  expect(files).not.toBe('');
});
