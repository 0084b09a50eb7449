import { expect, test } from 'vitest';
import { programs } from './blocks.ts';
import { compile } from './compile.ts';

test('every TypeScript block of the documents compiles against the sources', async () => {
  const files = new Map(programs.map((block, n) => [`block-${n}.${block.language}`, block]));
  const faults = await compile(Object.fromEntries([...files].map(([name, { code }]) => [name, code])));
  expect(programs.length).toBeGreaterThan(0);
  expect(
    faults.map(({ file, message }) => `${files.get(file)?.page}:${files.get(file)?.line} ${message}`),
  ).toEqual([]);
});
