import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Conversation } from '../../src/core/model/conversation.ts';
import { foldTraffic } from '../../src/records/recording/fold-traffic.ts';
import { exportConversation } from '../../src/records/saved/export.ts';
import { importConversation } from '../../src/records/saved/import.ts';
import { anyUpdate } from '../support/arbitrary-updates.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../support/fold-any.ts';
import { recordings } from '../support/recorded-turns.ts';
import { runsAll } from '../support/runs.ts';
import { expectSaved, isValid } from './saved-conversations.ts';

const updates = fc.array(anyUpdate, { maxLength: 30, size: 'max' });
const folded = updates.map((list) => foldUpdates(emptyConversation('s'), list));

test('every conversation fits the schema and is imported as it was, and it continues to fold like the original', () => {
  fc.assert(
    fc.property(folded, updates, (conversation, more) => {
      const imported = expectSaved(conversation);
      const step = (state: Conversation) => more.reduce((next, update) => foldUpdate(next, update), state);
      expect(step(imported)).toEqual(step(conversation));
    }),
  );
});

/** The conversations of the parts of a recording. */
async function conversationsOf(texts: readonly string[]): Promise<readonly Conversation[]> {
  const folded = await Promise.all(texts.map((text) => foldTraffic(text)));
  return folded.flatMap(({ sessions }) => sessions.map(({ conversation }) => conversation));
}

/**
 * One part of each recording in which an agent speaks, or all parts where a test runs all of its cases. The parts are
 * different steps, so that many kinds are there.
 */
const someRecordings: typeof recordings = new Map(
  [...recordings].flatMap(([name, texts], index) => {
    if (runsAll) return [[name, texts]];
    const talking = texts.filter((text) => text.includes('"session/update"'));
    return talking.length === 0 ? [] : [[name, talking.slice(index % talking.length).slice(0, 1)]];
  }),
);

test('the conversations of recordings of each agent fit the schema, and are imported as they were', async () => {
  let count = 0;
  for (const [recording, texts] of someRecordings) {
    for (const conversation of await conversationsOf(texts)) {
      expectSaved(conversation, recording);
      count++;
    }
  }
  expect(count).toBeGreaterThanOrEqual(someRecordings.size);
});

/** The places in a value: each object or list, with each of its keys. */
function placesIn(value: unknown, places: (readonly [object, string])[] = []): typeof places {
  if (typeof value !== 'object' || value === null) return places;
  for (const [key, part] of Object.entries(value)) {
    places.push([value, key]);
    placesIn(part, places);
  }
  return places;
}

/** What the types cannot say, and the import checks. */
const beyondTypes = /is the key of an earlier entry|differs from the key of the terminal/;

test('the import takes what the schema takes, and says where the fault is of what it does not', () => {
  const replacements = fc.constantFrom<unknown>(undefined, null, 7, 'text', true, [], {}, { type: 'x' }, [7]);
  const faults = fc.array(fc.tuple(fc.nat(), replacements), { minLength: 20, maxLength: 20 });
  let refused = 0;
  fc.assert(
    fc.property(folded, faults, (conversation, each) => {
      const good = JSON.stringify(exportConversation(conversation));
      for (const [place, replacement] of each) {
        const value = JSON.parse(good);
        const places = placesIn(value.conversation);
        const [container, key] = places[place % places.length] as readonly [object, string];
        if (replacement !== undefined) Reflect.set(container, key, replacement);
        else if (!Array.isArray(container)) Reflect.deleteProperty(container, key);
        const issues = issuesOf(value);
        if (issues.some(({ message }) => beyondTypes.test(message))) continue;
        expect(issues.length === 0, JSON.stringify([key, replacement, issues, isValid.errors])).toBe(
          isValid(value),
        );
        if (issues.length > 0) refused++;
      }
    }),
  );
  expect(refused).toBeGreaterThan(300);
});

function issuesOf(value: unknown) {
  try {
    importConversation(value);
    return [];
  } catch (error) {
    const { issues } = error as { issues: readonly { path: string; message: string }[] };
    expect(issues).toHaveLength(1);
    return issues;
  }
}
