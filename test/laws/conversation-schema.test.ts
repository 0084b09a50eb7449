import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { exportConversation } from '../../src/conversation/export.ts';
import { importConversation } from '../../src/conversation/import.ts';
import { anyUpdate } from '../support/arbitrary-updates.ts';
import { conversationSchema } from '../support/conversation-schema.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import { recordedConversations } from '../support/recorded-conversations.ts';

// With `strict`, a schema that does not mean what it says is an error.
const isValid = new Ajv2020({ strict: true, strictTypes: false }).compile(conversationSchema());

const folded = fc
  .array(anyUpdate, { maxLength: 30, size: 'max' })
  .map((updates) => foldUpdates(emptyConversation('s'), updates));
const written = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));

test('the schema holds for every conversation', () => {
  fc.assert(
    fc.property(folded, (conversation) => {
      isValid(written(exportConversation(conversation)));
      expect(isValid.errors ?? []).toEqual([]);
    }),
  );
});

test('the schema holds for the conversations of all recordings', async () => {
  for (const { recording, conversations } of await recordedConversations()) {
    for (const conversation of conversations) {
      isValid(written(exportConversation(conversation)));
      expect(isValid.errors ?? [], recording).toEqual([]);
    }
  }
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
  let refused = 0;
  fc.assert(
    fc.property(folded, fc.nat(), replacements, (conversation, place, replacement) => {
      const value = written(exportConversation(conversation));
      const places = placesIn(value['conversation']);
      const [container, key] = places[place % places.length] as readonly [object, string];
      if (replacement !== undefined) Reflect.set(container, key, replacement);
      else if (!Array.isArray(container)) Reflect.deleteProperty(container, key);
      const issues = issuesOf(value);
      if (issues.some(({ message }) => beyondTypes.test(message))) return;
      expect(issues.length === 0, JSON.stringify([key, replacement, issues, isValid.errors])).toBe(
        isValid(value),
      );
      if (issues.length > 0) refused++;
    }),
    { numRuns: 2000 },
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
