import fc from 'fast-check';
import { expect, test } from 'vitest';
import { casesOf, oneOf } from '../support/faults/cases.ts';
import { sweep } from '../support/faults/judge.ts';
import { anythingGoesWrong, streamsLiveLong } from '../support/http-play/play.ts';
import { runs } from '../support/runs.ts';
import { stopClock } from '../support/timed-acp-server.ts';

test('over streamable HTTP nothing is lost without a word, comes twice or is left, whatever goes wrong', async () => {
  stopClock();
  await fc.assert(anythingGoesWrong, { numRuns: runs(80) });
});

test('over streamable HTTP a stream that lives long can end any number of times', async () => {
  stopClock();
  await fc.assert(streamsLiveLong, { numRuns: runs(25) });
});

/** One of so many cases is played here. The long tests play more, over each transport and in both versions. */
const sampled = 97;

test('[reliability: any-fault] over streamable HTTP a fault loses and doubles nothing without saying so', async () => {
  const cases = oneOf(sampled, casesOf['streamable-http']);
  const { counts, problems } = await sweep({
    transport: 'streamable-http',
    version: 1,
    cases,
    recoveries: 'in turns',
  });
  expect(problems).toEqual([]);
  expect(counts.unchanged).toBeGreaterThan(0);
  expect(counts.gap + counts.ended).toBeGreaterThan(0);
});
