import { describe, expect, test } from 'vitest';
import type { AnyUpdate } from '../../../../../src/core/model/client-update.ts';
import type { Conversation } from '../../../../../src/core/model/conversation.ts';
import { ConversationChanges } from '../../../../../src/programs/inspector/timeline/conversations.ts';
import { emptyConversation, foldUpdates } from '../../../../support/fold-any.ts';

const message = (messageId: string): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: { type: 'text', text: 'a' },
});
const tool = (toolCallId: string, ...terminals: readonly string[]): AnyUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  title: toolCallId,
  content: [
    { type: 'content', content: { type: 'text', text: 'x' } },
    ...terminals.map((terminalId) => ({ type: 'terminal', terminalId }) as const),
  ],
});
const output = (terminalId: string): AnyUpdate => ({
  sessionUpdate: 'terminal_output_chunk',
  terminalId,
  data: btoa('a'),
});
const terminal = (terminalId: string): AnyUpdate => ({
  sessionUpdate: 'terminal_update',
  terminalId,
  exitStatus: { exitCode: 0, signal: null },
});

const info = (title: string, value: number): AnyUpdate => ({
  sessionUpdate: 'session_info_update',
  title,
  _meta: { title: value, other: 1 },
});
const plan = (content: string): AnyUpdate => ({
  sessionUpdate: 'plan',
  entries: [{ content, priority: 'high', status: 'pending' }],
});

const s1 = emptyConversation('s1');
const after = (...updates: readonly AnyUpdate[]) => foldUpdates(s1, updates);
const before = after(
  message('m1'),
  tool('a', 't1', 'title'),
  message('m2'),
  tool('b', 't1'),
  output('t1'),
  output('title'),
  plan('a'),
  info('Title', 1),
);

/** The conversation that these updates lead to. */
const changed = (...updates: readonly AnyUpdate[]): Conversation => foldUpdates(before, updates);

describe('the entries that a change names', () => {
  test.each<[string, Conversation, readonly number[]]>([
    ['are those that were added', changed(message('m3'), tool('c')), [4, 5]],
    [
      'are those that were changed, in the order of the transcript',
      changed(tool('b', 't9'), message('m1')),
      [0, 3],
    ],
    ['are the last one that shows a terminal, for its output', changed(output('t1')), [3]],
    ['are the one that shows a terminal beside others', changed(output('title')), [1]],
    ['are the one that shows a terminal, for its end', changed(terminal('title')), [1]],
    ['are none for a terminal that nothing shows', changed(output('t3')), []],
    ['are none for what is no entry', changed(info('Other title', 2)), []],
    ['are none for a plan', changed(plan('b')), []],
    [
      'are in the order of the transcript, with those of terminals',
      changed(message('m3'), output('title')),
      [1, 4],
    ],
    ['are each named once', changed(tool('a', 'title'), output('title')), [1]],
  ])('%s', (_, conversation, entries) => {
    const changes = new ConversationChanges();
    const session = { conversation: before };
    changes.take([session]);
    session.conversation = conversation;
    const keys = entries.map((index) => conversation.entries[index]?.key);
    expect(changes.take([session])).toEqual([{ conversation: 0, patch: expect.anything(), entries: keys }]);
  });
});

test('a conversation that has not changed, by identity or by value, is no change', () => {
  const changes = new ConversationChanges();
  const session = { conversation: before };
  expect(changes.take([session])).toHaveLength(1);
  expect(changes.take([session])).toEqual([]);
  session.conversation = JSON.parse(JSON.stringify(before));
  expect(changes.take([session])).toEqual([]);
});

test('each session has a number, also one with the id of another', () => {
  const changes = new ConversationChanges();
  const sessions = [{ conversation: s1 }, { conversation: emptyConversation('s2') }, { conversation: s1 }];
  const numbers = () => changes.take(sessions).map(({ conversation }) => conversation);
  expect(numbers()).toEqual([0, 1, 2]);
  const [first] = sessions;
  if (first) first.conversation = after(message('m1'));
  expect(numbers()).toEqual([0]);
});
