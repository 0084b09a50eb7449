import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportConversation } from '../../src/conversation/export.ts';
import { importConversation } from '../../src/conversation/import.ts';
import type { Conversation } from '../../src/model/conversation.ts';
import { anyUpdate } from '../support/arbitrary-updates.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../support/fold-any.ts';
import { recordedConversations } from '../support/recorded-conversations.ts';

const updates = fc.array(anyUpdate, { maxLength: 30, size: 'max' });
const folded = updates.map((list) => foldUpdates(emptyConversation('s'), list));

/** What another program reads. */
const written = <T>(value: T): unknown => JSON.parse(JSON.stringify(value));

function expectInverse(conversation: Conversation): void {
  const file = written(exportConversation(conversation));
  const imported = importConversation(file);
  expect(imported).toEqual(conversation);
  expect(written(exportConversation(imported))).toEqual(file);
}

test('import and export are inverse for every conversation', () => {
  fc.assert(fc.property(folded, expectInverse));
});

test('import and export are inverse for the conversations of all recordings', async () => {
  const recorded = (await recordedConversations()).flatMap(({ conversations }) => conversations);
  expect(recorded.length).toBeGreaterThan(100);
  recorded.forEach(expectInverse);
});

test('a conversation that was imported continues to fold like the original', () => {
  fc.assert(
    fc.property(folded, updates, (conversation, more) => {
      const imported = importConversation(written(exportConversation(conversation)));
      const step = (state: Conversation) => more.reduce((next, update) => foldUpdate(next, update), state);
      expect(step(imported)).toEqual(step(conversation));
    }),
  );
});
