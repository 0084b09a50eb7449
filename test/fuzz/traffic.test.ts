import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordings } from './corpus.ts';
import { damage } from './mutations.ts';
import { survive } from './survive.ts';

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);
beforeAll(() => {
  process.on('unhandledRejection', onUnhandled);
  process.on('uncaughtException', onUnhandled);
});
afterAll(() => {
  process.off('unhandledRejection', onUnhandled);
  process.off('uncaughtException', onUnhandled);
});

test.each(recordings)('damaged traffic does no harm ($name)', async (recording) => {
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { maxLength: 200, size: 'max' }), async (damages) => {
      await survive(recording, damages);
    }),
    // Always the same, so that whoever changes something else is not surprised: `npm run fuzz` looks further.
    { numRuns: 25, seed: 1 },
  );
  expect(unhandled).toEqual([]);
});
