import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entries } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

let consumer: Consumer;
let home: string;
beforeAll(async () => {
  consumer = await installPackage();
  // The entry for Markdown needs its peer dependency when it is imported.
  await consumer.install('markdown-it');
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
])(
  'a stack names a function and a line of the package that can be read, below the name of its source (.%s)',
  async (extension, load) => {
    await consumer.write({ [`stack.${extension}`]: program(load) });
    const stack = await consumer.node(`stack.${extension}`);
    const frame = /^ +at (\S+) \((?:file:\/\/)?([^\s()]+):(\d+):\d+\)$/m.exec(stack);
    const [, name, path = '', line = ''] = frame ?? [];
    expect(name).toBe('inputFrom');
    expect(relative(home, path)).toMatch(/^dist[\\/][\w-]+\.c?js$/);
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, Number(line));
    expect(lines.at(-1)).toMatch(/^ *.*"getReader" in stream.{0,80}$/);
    expect(lines.findLast((text) => text.startsWith('// src/'))).toBe('// src/transport/byte-streams.ts');
  },
);

test('no module names a map that the package does not have', async () => {
  const names = await readdir(join(home, 'dist'));
  const modules = names.filter((name) => /\.c?js$/.test(name));
  expect(modules.length).toBeGreaterThan(100);
  const texts = await Promise.all(modules.map((name) => readFile(join(home, 'dist', name), 'utf8')));
  expect(modules.filter((_, index) => texts[index]?.includes('sourceMappingURL'))).toEqual([]);
});

test.each([
  ['mjs', 'await import'],
  ['cjs', 'require'],
])('importing the entries has no side effects (.%s)', async (extension, load) => {
  await consumer.write({
    [`quiet.${extension}`]: `
      const state = () => JSON.stringify({
        // Less the requests of Node's own loader, which come and go.
        resources: process.getActiveResourcesInfo().filter((name) => !name.includes('Req')).sort(),
        listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]).sort(),
        globals: Object.getOwnPropertyNames(globalThis).sort(),
        environment: Object.keys(process.env).sort(),
      });
      (async () => {
        // While it evaluates the first module, Node itself listens to the end of the process.
        await new Promise(setImmediate);
        const before = state();
        for (const entry of ${JSON.stringify(Object.keys(entries))}) ${load}(entry);
        if (state() !== before) throw new Error(before + ' became ' + state());
      })();
    `,
  });
  // That it comes to an end by itself is the other half: nothing is left that Node would wait for.
  expect(await consumer.node(`quiet.${extension}`)).toBe('');
});
