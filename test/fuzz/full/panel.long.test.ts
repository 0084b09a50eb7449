import fc from 'fast-check';
import { test } from 'vitest';
import { stopPanelClock } from '../../support/panel-play/play.ts';
import { pageAndHostRecover } from '../../support/panel-play/properties.ts';

test('[reliability: panel-messages] a page and its host recover from any lost, repeated or late message, and from any reload', async () => {
  stopPanelClock();
  await fc.assert(pageAndHostRecover, { numRuns: Number(process.env['PANEL_PLAYS'] ?? 200) });
}, 600_000);
