import fc from 'fast-check';
import { expect } from 'vitest';
import { play } from './play.ts';
import { anySteps } from './steps.ts';

/**
 * Whatever the channel does: nothing is done or answered twice, nothing stays open, and page and host are equal when the
 * channel has carried messages again for as long as the longest pause of a question.
 */
export const pageAndHostRecover = fc.asyncProperty(anySteps, async (steps) => {
  const { page, host, actions, prompted, answers, idleMessages } = await play(steps);
  expect(page).toEqual(host);
  expect(actions.filter(({ outcome }) => outcome === 'open')).toEqual([]);
  for (const [words, times] of prompted) expect([words, times]).toEqual([words, 1]);
  const sent = [...prompted.keys()].join();
  const lost = actions.filter(
    ({ name, text, outcome }) => name === 'prompt' && outcome === 'done' && !sent.includes(`"${text}"`),
  );
  expect(lost).toEqual([]);
  for (const { count, isLast } of answers) {
    expect(count).toBeLessThanOrEqual(1);
    if (isLast) expect(count).toBe(1);
  }
  expect(idleMessages).toBe(0);
});
