import { expect, test } from 'vitest';
import { emptyConversation } from '../../../src/conversation/fold.ts';
import { grownText } from '../../../src/conversation/growth.ts';
import { createConversationStore } from '../../../src/conversation/store.ts';
import type { Conversation } from '../../../src/model/conversation.ts';

const chunk = (text: string, messageId = 'm1') =>
  ({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } }) as const;

function blockOf({ entries }: Conversation, index = 0): object {
  const entry = entries[index];
  const block = entry?.kind === 'message' ? entry.content[0] : undefined;
  if (!block) throw new Error('There is no block.');
  return block;
}

test('the pieces of a text are kept if a snapshot has its beginning', () => {
  const store = createConversationStore(emptyConversation('s1'));
  store.apply(chunk('One, '));
  store.getSnapshot();
  store.apply(chunk('two, '));
  store.apply(chunk('three.'));
  expect(grownText(blockOf(store.getSnapshot()), 5, 16)).toBe('two, three.');
});

test('no piece is kept of a text whose beginning is in no snapshot', () => {
  const store = createConversationStore(emptyConversation('s1'));
  for (const messageId of ['m1', 'm2']) {
    for (const text of ['One, ', 'two, ', 'three.']) store.apply(chunk(text, messageId));
  }
  const conversation = store.getSnapshot();
  expect(grownText(blockOf(conversation, 0), 5, 16)).toBeUndefined();
  expect(grownText(blockOf(conversation, 1), 5, 16)).toBeUndefined();
});
