import fc from 'fast-check';
import { test } from 'vitest';
import { checkGenerated, generatedTurn } from '../../support/generated-turns.ts';
import { anythingGoesWrong, streamsLiveLong } from '../../support/http-play/play.ts';
import { pageAndHostRecover, stopPanelClock } from '../../support/panel-play/play.ts';
import { stopClock } from '../../support/timed-acp-server.ts';
import { nothingActs } from '../markdown.ts';

test('10,000 generated turns are for AI SDK what their conversations are', async () => {
  await fc.assert(fc.asyncProperty(generatedTurn, checkGenerated), { numRuns: 10_000 });
}, 900_000);

test('no text acts in a Markdown viewer that renders HTML, in thousands of texts', () => {
  fc.assert(nothingActs, { numRuns: 10_000 });
}, 900_000);

test('[reliability: panel-messages] a page and its host recover from any lost, repeated or late message, and from any reload', async () => {
  stopPanelClock();
  await fc.assert(pageAndHostRecover, { numRuns: Number(process.env['PANEL_PLAYS'] ?? 200) });
}, 600_000);

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
