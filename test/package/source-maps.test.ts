import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Consumer, installPackage } from './installed.ts';

let consumer: Consumer;
let home: string;
beforeAll(async () => {
  consumer = await installPackage();
  home = join(consumer.folder, 'node_modules/acp-client-sdk');
});
afterAll(() => consumer?.remove());

/** The library reads a property of the stream that the program does not pass. */
const program = (load: string) => `(async () => {
  const { ndjsonTransport } = await ${load}('acp-client-sdk');
  try { ndjsonTransport(); } catch (error) { console.log(error.stack); }
})();`;

test.each([
  ['mjs', 'import'],
  ['cjs', 'require'],
])('a stack names the line of the source, in a file of the package (.%s)', async (extension, load) => {
  await consumer.write({ [`stack.${extension}`]: program(load) });
  const stack = await consumer.node('--enable-source-maps', `stack.${extension}`);
  const [, path = '', line = ''] = /^ +at .*?\(?(?:file:\/\/)?([^\s()]+):(\d+):\d+\)?$/m.exec(stack) ?? [];
  expect(relative(home, path)).toBe(join('src', 'transport', 'byte-streams.ts'));
  expect((await readFile(path, 'utf8')).split('\n')[Number(line) - 1]).toContain("'getReader' in stream");
});

test('each source that a map names is in the package, except what is bundled', async () => {
  const names = await readdir(join(home, 'dist'));
  const modules = names.filter((name) => /\.c?js$/.test(name));
  const sources = await Promise.all(
    modules.map(async (name) => {
      const map: { readonly sources: readonly string[] } = JSON.parse(
        await readFile(join(home, 'dist', `${name}.map`), 'utf8'),
      );
      return map.sources.filter((path) => !/^builtin:|\/node_modules\//.test(path));
    }),
  );
  const packed = await readdir(home, { recursive: true });
  const own = [...new Set(sources.flat())].map((path) => relative(home, resolve(home, 'dist', path)));
  expect(own.length).toBeGreaterThan(200);
  expect(own.filter((path) => !packed.includes(path))).toEqual([]);
});
