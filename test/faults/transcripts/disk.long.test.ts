import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { diskFaults, play } from './sweep.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

/** Only for a hang. */
const limitMs = 1_200_000;

/** How many sessions are recorded. Each has a fault of each kind at each call that writes. */
const sessions = 20;

test('a recorded session loses no batch that was written, whatever its disk does at whichever call', {
  timeout: limitMs,
}, async () => {
  const directory = temporaryFolder();
  const problems: string[] = [];
  let cases = 0;
  for (let seed = 0; seed < sessions; seed++) {
    const { calls, wrong } = await play({ seed, at: 0, fault: undefined }, directory);
    if (wrong.length > 0) problems.push(`Session ${seed} without a fault: ${wrong.join(', ')}`);
    for (let at = 0; at < calls; at++) {
      for (const fault of diskFaults) {
        cases++;
        const played = await play({ seed, at, fault }, directory);
        for (const what of played.wrong)
          problems.push(`Session ${seed}, call ${at}, ${JSON.stringify(fault)}: ${what}`);
      }
    }
  }
  expect(problems.slice(0, 20)).toEqual([]);
  expect(cases).toBeGreaterThan(5000);
});
