import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unhandledErrors } from '../support/unhandled-errors.ts';
import { recordings } from './corpus.ts';
import { damage } from './mutations.ts';
import { survive } from './survive.ts';

test.each(recordings)(
  '[security: damaged-traffic] damaged traffic neither throws nor stops the reading ($name)',
  async (recording) => {
    const unhandled = unhandledErrors();
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
