import { expect, test } from 'vitest';
import { playTurns, recordings } from '../support/recorded-turns.ts';
import { checkLaw } from '../support/ui-messages.ts';

let turns = 0;
let parts = 0;

test.each([...recordings])('each turn of %s is for AI SDK what its conversation is', async (_name, texts) => {
  for (const text of texts) {
    const checks: Promise<number>[] = [];
    await playTurns(text, (session, turn) => checks.push(checkLaw(session, turn)));
    turns += checks.length;
    parts += (await Promise.all(checks)).reduce((sum, count) => sum + count, 0);
  }
});

test('the recordings have turns, with parts', () => {
  expect(turns).toBeGreaterThan(500);
  expect(parts).toBeGreaterThan(2500);
});
