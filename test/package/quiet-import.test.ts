import { afterAll, beforeAll, expect, test } from 'vitest';
import { entries } from './entries.ts';
import { type Consumer, installPackage } from './installed.ts';

let consumer: Consumer;
beforeAll(async () => {
  consumer = await installPackage();
});
afterAll(() => consumer?.remove());

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
