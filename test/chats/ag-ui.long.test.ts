import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agUiTurn, checkAgUiTurn, checkGeneratedAgUi } from '../support/ag-ui-turns.ts';
import { playTurns, recordings } from '../support/recorded-turns.ts';

const numRuns = Number(process.env['AG_UI_TURNS'] ?? 10_000);

test(`${numRuns} generated turns are for AG-UI what their conversations are`, async () => {
  await fc.assert(fc.asyncProperty(agUiTurn, checkGeneratedAgUi), { numRuns });
}, 1_800_000);

let turns = 0;
let messages = 0;

test.each([...recordings])('each turn of %s is for AG-UI what its conversation is', async (_name, texts) => {
  for (const text of texts) {
    const checks: Promise<number>[] = [];
    await playTurns(text, (session, turn) => checks.push(checkAgUiTurn(session, turn)));
    turns += checks.length;
    messages += (await Promise.all(checks)).reduce((sum, count) => sum + count, 0);
  }
});

test('the recordings have turns, with messages', () => {
  expect(turns).toBeGreaterThan(400);
  expect(messages).toBeGreaterThan(2500);
});
