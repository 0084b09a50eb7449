import { describe, expect, test } from 'vitest';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { casesOf, oneOf } from '../../support/faults/cases.ts';
import { comparable, sweep } from '../../support/faults/judge.ts';
import { recordedPlay } from '../../support/faults/play.ts';
import { runCase } from '../../support/faults/run-case.ts';
import { transportNames } from '../../support/transports/names.ts';
import { openHost } from '../../support/transports/table.ts';

/** One of so many cases is played here. The long tests play all of them. */
const sampled = { memory: 19, websocket: 23, stdio: 47, 'streamable-http': 89 } as const;

describe.each(transportNames)('over %s', (transport) => {
  describe.each([1, 2] as const)('version %i', (version) => {
    test('a recorded session gives the conversation to which the recording folds', async () => {
      const play = await recordedPlay(version, 'resume');
      const stage = { transport, host: await openHost(transport), play };
      const seen = await runCase(stage, 'does not reconnect', { name: 'nothing goes wrong' });
      expect(seen).toMatchObject({ end: 'is open', error: undefined });
      const { sessions } = await foldTraffic(play.records.map((record) => JSON.stringify(record)));
      const recorded = sessions[0]?.conversation.entries ?? [];
      const shown = seen.conversation?.entries.slice(0, recorded.length) ?? [];
      expect(recorded.length).toBeGreaterThan(4);
      expect(comparable(shown)).toEqual(comparable(recorded));
    });

    test('[reliability: any-fault] a fault loses and doubles nothing without saying so, and sends no prompt twice', async () => {
      const cases = oneOf(sampled[transport], casesOf[transport]);
      const { counts, problems } = await sweep({ transport, version, cases, recoveries: 'in turns' });
      expect(problems).toEqual([]);
      expect(counts.unchanged).toBeGreaterThan(0);
      expect(counts.gap + counts.ended).toBeGreaterThan(0);
    });
  });
});
