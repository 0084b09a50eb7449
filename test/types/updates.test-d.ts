import { expectTypeOf, test } from 'vitest';
import {
  type ConversationUpdate,
  createConversationStore,
  emptyConversation,
  foldUpdate,
} from '../../src/entries/conversation.ts';
import type { Session } from '../../src/entries/index.ts';
import type { ClientUpdate } from '../../src/model/client-update.ts';

type Made = ClientUpdate['sessionUpdate'];

test('an update that only the client makes is not a public update', () => {
  expectTypeOf<Extract<ConversationUpdate['sessionUpdate'], Made>>().toBeNever();
  const conversation = emptyConversation('s1');
  // @ts-expect-error Only the client makes it.
  foldUpdate(conversation, { sessionUpdate: 'unfinished_cancelled' });
  // @ts-expect-error Only the client makes it.
  createConversationStore(conversation).apply({ sessionUpdate: 'unfinished_cancelled' });
  expectTypeOf<Parameters<Parameters<Session['onUpdate']>[0]>[0]>().toEqualTypeOf<ConversationUpdate>();
});
