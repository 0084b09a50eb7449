import { expect, test } from 'vitest';
import { eventCases, idKinds } from '../support/faults/cases.ts';
import { sweep } from '../support/faults/sweep.ts';

/** Only for a hang. */
const limitMs = 600_000;

test.each(([1, 2] as const).flatMap((version) => idKinds.map((ids) => [ids, version] as const)))(
  'over streamable HTTP, each fault at each event %s loses and doubles nothing without saying so (version %i)',
  { timeout: limitMs },
  async (ids, version) => {
    const { counts, problems } = await sweep({
      transport: 'streamable-http',
      version,
      cases: eventCases(ids),
      recoveries: 'in turns',
    });
    expect(problems).toEqual([]);
    // With ids a stream is opened again where it broke.
    if (ids === 'with ids') expect(counts).toMatchObject({ refused: 0, gap: 0 });
    else expect(counts.gap).toBeGreaterThan(20);
  },
);
