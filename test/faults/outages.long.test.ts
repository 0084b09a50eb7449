import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lostMessages, lostOverHttp, oneOf, withOutage } from '../support/faults/cases.ts';
import { sweep } from '../support/faults/sweep.ts';

/** Only for a hang. */
const limitMs = 600_000;

/** Over streamable HTTP there are many cases, of which every fourth is played. */
const lost = { websocket: lostMessages, 'streamable-http': oneOf(4, lostOverHttp) } as const;

/** The request `initialize` and its answer: before there is a connection, nothing can be opened again. */
const mostBefore = 4;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
    shouldAdvanceTime: true,
  });
});

afterEach(() => {
  vi.useRealTimers();
});

test.each(
  (['websocket', 'streamable-http'] as const).flatMap((transport) => [
    { transport, version: 1 as const },
    { transport, version: 2 as const },
  ]),
)(
  'over $transport, a network that is away after any message of version $version: one agent, and the session goes on',
  { timeout: limitMs },
  async ({ transport, version }) => {
    const { counts, problems } = await sweep({
      transport,
      version,
      cases: withOutage(lost[transport]),
      recoveries: 'each that reconnects',
      atOnce: 1,
    });
    expect(problems).toEqual([]);
    expect(counts.refused).toBe(0);
    expect(counts.gap).toBeGreaterThan(8);
    expect(counts.ended).toBeLessThanOrEqual(mostBefore);
  },
);
