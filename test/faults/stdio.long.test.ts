import { expect, test } from 'vitest';
import { channelCases } from '../support/fault-proxy/cases.ts';
import { sweep } from '../support/fault-proxy/sweep.ts';

/** Only for a hang. */
const limitMs = 600_000;

test.each([1, 2] as const)(
  'over stdio, each fault at each message of a session of version %i loses and doubles nothing without saying so',
  { timeout: limitMs },
  async (version) => {
    const { counts, problems } = await sweep({
      transport: 'stdio',
      version,
      cases: channelCases,
      recoveries: 'in turns',
    });
    expect(problems).toEqual([]);
    expect(counts).toMatchObject({ gap: expect.toSatisfy((gap: number) => gap > 20), refused: 0 });
  },
);
