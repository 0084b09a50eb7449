import fc from 'fast-check';
import { test } from 'vitest';
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
