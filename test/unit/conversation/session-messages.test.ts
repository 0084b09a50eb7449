import { describe, expect, test } from 'vitest';
import { textOf } from '../../../src/conversation/select.ts';
import type { AnyUpdate } from '../../../src/model/client-update.ts';
import type { SessionMessageEntry } from '../../../src/model/conversation.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

const text = (said: string) => ({ type: 'text' as const, text: said });

const fold = (...updates: AnyUpdate[]) =>
  foldUpdates(emptyConversation('parent'), updates).entries as readonly SessionMessageEntry[];

const chunk = (messageId: string, said: string) =>
  ({ sessionUpdate: 'session_message_chunk', messageId, content: text(said) }) as const;

describe('messages between sessions', () => {
  test('chunks are joined, and an update between them changes the fields that it carries', () => {
    const entries = fold(
      chunk('m1', 'Find '),
      {
        sessionUpdate: 'session_message',
        messageId: 'm1',
        senderSessionId: 'parent',
        recipientSessionId: 'child',
      },
      chunk('m1', 'the cause.'),
      { sessionUpdate: 'session_message', messageId: 'm1', recipientMessageId: 'm7', _meta: { a: 1 } },
    );
    expect(entries).toEqual([
      {
        kind: 'sessionMessage',
        key: 'session:m1',
        messageId: 'm1',
        senderSessionId: 'parent',
        recipientSessionId: 'child',
        senderMessageId: null,
        recipientMessageId: 'm7',
        content: [text('Find the cause.')],
        origin: 'live',
        meta: { a: 1 },
      },
    ]);
  });

  test('content replaces what was said before, and null clears a field', () => {
    const update = { sessionUpdate: 'session_message', messageId: 'm1' } as const;
    const [message] = fold(
      chunk('m1', 'Find it.'),
      { ...update, senderSessionId: 'a', content: [text('Look')] },
      { ...update, senderSessionId: null },
      chunk('m1', ' again.'),
    );
    expect(message?.senderSessionId).toBeNull();
    expect(message && textOf(message)).toBe('Look again.');
    const [cleared] = fold(chunk('m1', 'Find it.'), { ...update, content: null });
    expect(cleared?.content).toEqual([]);
  });

  test('their ids are not those of the messages of user and agent', () => {
    const entries = fold(
      { sessionUpdate: 'agent_message', messageId: 'm1', content: [text('Done.')] },
      chunk('m1', 'Look.'),
    );
    expect(entries.map(({ kind, key }) => [kind, key])).toEqual([
      ['message', 'agent:m1'],
      ['sessionMessage', 'session:m1'],
    ]);
  });
});
