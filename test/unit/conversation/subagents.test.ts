import { describe, expect, test } from 'vitest';
import { foldUpdate } from '../../../src/conversation/fold.ts';
import { textOf } from '../../../src/conversation/select.ts';
import { maxSubagents } from '../../../src/conversation/subagents.ts';
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

const announced = (sessionId: string) => ({ sessionUpdate: 'subagent_update', sessionId }) as const;

describe('the subagents of a conversation', () => {
  test('are none until the agent announces one', () => {
    expect(emptyConversation('s')).not.toHaveProperty('subagents');
  });

  test('an update changes the fields that it carries, and null clears them', () => {
    const { subagents } = foldUpdates(emptyConversation('s'), [
      {
        ...announced('a'),
        title: 'Search',
        cwd: '/tmp',
        capabilities: { cancel: {} },
        _meta: { a: 1, b: 1 },
      },
      { ...announced('b'), description: 'Reads.' },
      {
        ...announced('a'),
        description: 'Finds tests.',
        additionalDirectories: [],
        cwd: null,
        capabilities: null,
        _meta: { a: null },
      },
    ]);
    expect(subagents).toEqual([
      {
        sessionId: 'a',
        title: 'Search',
        description: 'Finds tests.',
        cwd: null,
        additionalDirectories: [],
        capabilities: null,
        meta: { b: 1 },
      },
      {
        sessionId: 'b',
        title: null,
        description: 'Reads.',
        cwd: null,
        additionalDirectories: null,
        capabilities: null,
        meta: null,
      },
    ]);
  });

  test('what a subagent does is in its own conversation', () => {
    const before = foldUpdate(emptyConversation('s'), announced('a'));
    const after = foldUpdate(before, { ...announced('a'), state: { state: 'running' } });
    expect(after).toBe(before);
  });

  test('are no more than the limit, and those that are known still change', () => {
    const updates = Array.from({ length: maxSubagents + 5 }, (_, index) => announced(`child-${index}`));
    const full = foldUpdates(emptyConversation('s'), updates);
    expect(full.subagents).toHaveLength(maxSubagents);
    const changed = foldUpdate(full, { ...announced('child-0'), title: 'First' });
    expect(changed.subagents?.[0]?.title).toBe('First');
  });
});
