import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const table = page.slice(page.indexOf('## What is promised'), page.indexOf('## What is yours'));
const promises = table
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:promise|---)/.test(line))
  .map((line) => {
    const [, promise = '', proof = ''] = line.split(' | ').length === 2 ? ['', ...line.split(' | ')] : [];
    const [, file = '', name = ''] = /`(test\/[^`]+)`: (.*?) \|$/.exec(proof) ?? [];
    return { promise: promise.slice(2), file, name };
  });

test('there are promises', () => {
  expect(promises.length).toBeGreaterThan(10);
});

test.each(promises)('$promise', ({ file, name }) => {
  expect(file).not.toBe('');
  expect(existsSync(join(root, file)), `${file} exists`).toBe(true);
  const source = readFileSync(join(root, file), 'utf8');
  expect(source, `${file} has the test`).toContain(`'${name}'`);
  // A test that is switched off proves nothing.
  expect(source).not.toMatch(/\b(?:test|it|describe)\.(?:skip|todo)\(/);
});
