import { describe, expect, test } from 'vitest';
import { foldTraffic } from '../../src/records/recording/fold-traffic.ts';
import { channelCases, eventCases, postCases, streamCases } from '../support/faults/cases.ts';
import { comparable, type SweepOptions, sweep, type Verdict } from '../support/faults/judge.ts';
import { recordedPlay } from '../support/faults/play.ts';
import { runCase } from '../support/faults/run-case.ts';
import { transportNames } from '../support/transports/names.ts';
import { openHost } from '../support/transports/table.ts';

/** Only for a hang. */
const limitMs = 600_000;

interface Row extends Omit<SweepOptions, 'version'> {
  readonly at: string;
  /** How many cases have a verdict at least, or that none has it. */
  readonly fewest: Partial<Readonly<Record<Verdict, number | 'none'>>>;
}

const streamed = { transport: 'streamable-http', recoveries: 'in turns' } as const;
const http = { transport: 'streamable-http', recoveries: 'each' } as const;
const each = { cases: channelCases, recoveries: 'each', fewest: { gap: 51, refused: 'none' } } as const;

const rows: readonly Row[] = [
  { at: 'message', transport: 'memory', ...each },
  { at: 'message', transport: 'websocket', ...each },
  {
    at: 'message',
    transport: 'stdio',
    ...each,
    recoveries: 'in turns',
    fewest: { gap: 21, refused: 'none' },
  },
  // With ids a stream is opened again where it broke.
  { at: 'event', ...streamed, cases: eventCases('with ids'), fewest: { refused: 'none', gap: 'none' } },
  { at: 'event without an id', ...streamed, cases: eventCases('without ids'), fewest: { gap: 21 } },
  { at: 'POST', ...http, cases: postCases, fewest: { unchanged: 21, gap: 11, ended: 21 } },
  { at: 'GET', ...http, cases: streamCases('with ids'), fewest: { unchanged: 4 } },
  { at: 'GET of a stream without ids', ...http, cases: streamCases('without ids'), fewest: { unchanged: 4 } },
];

describe.each([1, 2] as const)('version %i', (version) => {
  test.each(transportNames)(
    'over %s, a recorded session gives the conversation to which the recording folds',
    async (transport) => {
      const play = await recordedPlay(version, 'resume');
      const stage = { transport, host: await openHost(transport), play };
      const seen = await runCase(stage, 'does not reconnect', { name: 'nothing goes wrong' });
      expect(seen).toMatchObject({ end: 'is open', error: undefined });
      const { sessions } = await foldTraffic(play.records.map((record) => JSON.stringify(record)));
      const recorded = sessions[0]?.conversation.entries ?? [];
      const shown = seen.conversation?.entries.slice(0, recorded.length) ?? [];
      expect(recorded.length).toBeGreaterThan(4);
      expect(comparable(shown)).toEqual(comparable(recorded));
    },
  );

  test.each(rows)(
    'over $transport, each fault at each $at loses and doubles nothing without saying so',
    { timeout: limitMs },
    async ({ fewest, ...options }) => {
      const { counts, problems } = await sweep({ ...options, version });
      expect(problems).toEqual([]);
      const wrong = Object.entries(fewest).filter(([verdict, fewestCases]) => {
        // The keys of the row are verdicts.
        const count = counts[verdict as Verdict];
        return fewestCases === 'none' ? count > 0 : count < fewestCases;
      });
      expect(wrong, JSON.stringify(counts)).toEqual([]);
    },
  );
});
