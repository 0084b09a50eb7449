import { describe, expect, test } from 'vitest';
import { channelCases } from '../support/faults/cases.ts';
import { sweep } from '../support/faults/sweep.ts';

/** Only for a hang. */
const limitMs = 600_000;

describe.each([
  ['memory', 'each', 50],
  ['websocket', 'each', 50],
  ['stdio', 'in turns', 20],
] as const)('over %s', (transport, recoveries, fewestGaps) => {
  test.each([1, 2] as const)(
    'each fault at each message of a session of version %i loses and doubles nothing without saying so',
    { timeout: limitMs },
    async (version) => {
      const { counts, problems } = await sweep({ transport, version, cases: channelCases, recoveries });
      expect(problems).toEqual([]);
      expect(counts).toMatchObject({ gap: expect.toSatisfy((gap: number) => gap > fewestGaps), refused: 0 });
    },
  );
});
