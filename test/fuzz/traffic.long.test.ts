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

test.each(recordings)(
  '[security: damaged-traffic] damaged traffic neither throws nor stops the reading ($name)',
  async (recording) => {
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { maxLength: 200, size: 'max' }), async (damages) => {
        await survive(recording, damages);
      }),
      // `npm run suite -- fuzz` tests many more.
      { numRuns: 25 },
    );
    expect(unhandled).toEqual([]);
  },
);
