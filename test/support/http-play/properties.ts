import fc from 'fast-check';
import { expect } from 'vitest';
import { play } from './play.ts';
import { anyScript, calmScript } from './steps.ts';

/** The laws hold, whatever goes wrong. */
export const anythingGoesWrong = fc.asyncProperty(anyScript, async (script) => {
  const { problems } = await play(script);
  expect(problems).toEqual([]);
});

/**
 * The laws hold, the connection goes on, and where events have ids no session is lost, if streams live long before they
 * end.
 */
export const streamsLiveLong = fc.asyncProperty(calmScript, async (script) => {
  const { problems, journal } = await play(script);
  expect(problems).toEqual([]);
  const isMeant = new Set(script.habits.eventIds === 'all' ? ['lost', 'failed', 'ended'] : ['ended']);
  expect(journal.filter(({ what }) => isMeant.has(what))).toEqual([]);
});
