import fc from 'fast-check';
import { test } from 'vitest';
import { anythingGoesWrong, streamsLiveLong } from '../../support/http-play/play.ts';
import { stopClock } from '../../support/timed-acp-server.ts';

/** Only for a hang. What goes on after it would be beside the next test. */
const timeout = 600_000;

test('over streamable HTTP nothing is lost without a word, comes twice or is left, in thousands of plays', {
  timeout,
}, async () => {
  stopClock();
  await fc.assert(anythingGoesWrong, { numRuns: 5000 });
});

test('over streamable HTTP a stream that lives long can end any number of times, in thousands of plays', {
  timeout,
}, async () => {
  stopClock();
  await fc.assert(streamsLiveLong, { numRuns: 2000 });
});
