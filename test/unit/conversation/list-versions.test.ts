import { expect, test } from 'vitest';
import { emptyConversation } from '../../../src/conversation/fold.ts';
import { unchangedStart } from '../../../src/conversation/list-versions.ts';
import { createConversationStore } from '../../../src/conversation/store.ts';

const chunk = (messageId: string) =>
  ({ sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text: 'word ' } }) as const;

/** The entries of a store with three messages, and the same store. */
function threeMessages() {
  const store = createConversationStore(emptyConversation('s1'));
  for (const messageId of ['m1', 'm2', 'm3']) store.apply(chunk(messageId));
  return { store, before: store.getSnapshot().entries };
}

test.each([
  ['the first entry that changed', ['m3', 'm2'], 1],
  ['an entry that was added', ['m4', 'm5'], 3],
  ['an entry that changed before one that was added', ['m4', 'm1'], 0],
])('a version shares what is before %s with the version before', (_, messageIds, shared) => {
  const { store, before } = threeMessages();
  for (const messageId of messageIds) store.apply(chunk(messageId));
  const { entries } = store.getSnapshot();
  expect(unchangedStart(before, entries)).toBe(shared);
  expect(entries.slice(0, shared)).toEqual(before.slice(0, shared));
});

test('nothing is known of versions with another one between them, in the other order, and of two stores', () => {
  const { store, before } = threeMessages();
  store.apply(chunk('m4'));
  const between = store.getSnapshot().entries;
  store.apply(chunk('m4'));
  const after = store.getSnapshot().entries;
  expect(unchangedStart(between, after)).toBe(3);
  expect(unchangedStart(before, after)).toBe(0);
  expect(unchangedStart(after, between)).toBe(0);
  expect(unchangedStart(threeMessages().before, between)).toBe(0);
});

test('a message with one more block shares its blocks with the message before, and both are frozen', () => {
  const store = createConversationStore(emptyConversation('s1'));
  const content = () => {
    const [entry] = store.getSnapshot().entries;
    return entry?.kind === 'message' ? entry.content : [];
  };
  const image = { type: 'image', data: 'AA', mimeType: 'image/png' } as const;
  store.apply({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: image });
  store.apply(chunk('m1'));
  const before = content();
  store.apply(chunk('m1'));
  const longer = content();
  store.apply({ sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: { ...image } });
  const after = content();
  // The last text became longer.
  expect(unchangedStart(before, longer)).toBe(1);
  expect(unchangedStart(longer, after)).toBe(2);
  expect(unchangedStart(before, after)).toBe(0);
  for (const value of [before, longer, after, ...longer, ...after]) expect(Object.isFrozen(value)).toBe(true);
});
