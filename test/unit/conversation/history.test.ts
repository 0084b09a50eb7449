import { describe, expect, test } from 'vitest';
import { newHistory } from '../../../src/core/conversation/history.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { repeats, says } from '../../support/updates.ts';

const shows = (data: string): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'image', mimeType: 'image/png', data },
});
const calls = (toolCallId: string) =>
  ({ sessionUpdate: 'tool_call', toolCallId, title: toolCallId }) as const;
const conversationOf = (...updates: AnyUpdate[]) => foldUpdates(emptyConversation('s1'), updates);

describe('the new entries of a replay', () => {
  const newEntries = (shown: AnyUpdate[], replayed: AnyUpdate[]) => {
    const before = conversationOf(...shown);
    const { entries } = foldUpdates(before, [newHistory(before, before, conversationOf(...replayed))]);
    return entries
      .slice(before.entries.length)
      .map((entry) =>
        entry.kind === 'toolCall' ? entry.toolCallId : entry.kind === 'message' ? entry.content : entry.kind,
      );
  };

  test('follow the last one that the conversation has, also if tool calls come in another order', () => {
    const shown = [calls('t0'), says('Yes.'), calls('t1')];
    expect(newEntries(shown, [calls('t1'), calls('t0'), says('Yes.')])).toEqual([
      [{ type: 'text', text: 'Yes.' }],
    ]);
  });

  test('follow the last call with an id that comes again, also if the replay lacks the first one', () => {
    const ended: AnyUpdate = { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' };
    const call = (title: string): AnyUpdate[] => [
      { sessionUpdate: 'tool_call', toolCallId: 't', title },
      ended,
    ];
    const kept = [repeats('Two.'), ...call('B')];
    expect(newEntries([repeats('One.'), ...call('A'), ...kept], [...kept, ...call('C')])).toEqual(['t']);
  });

  test('include a text that replaces an entry without text', () => {
    const shown = [repeats('Draw.'), shows('AAAA')];
    expect(newEntries(shown, [repeats('Draw.'), says('Here.')])).toEqual([[{ type: 'text', text: 'Here.' }]]);
  });

  test('do not include a message without text that the conversation has', () => {
    const shown = [repeats('Draw.'), shows('AAAA')];
    expect(newEntries(shown, [repeats('Draw.'), shows('AAAA'), calls('t1')])).toEqual(['t1']);
  });

  test('do not include the whole of a message that was cut off', () => {
    const shown = [repeats('Draw.'), says('He')];
    expect(newEntries(shown, [repeats('Draw.'), says('Here.'), calls('t1')])).toEqual(['t1']);
  });
});

test('a call that a replay completes keeps the output that its terminal has', () => {
  const prints = (output: string): AnyUpdate => ({
    sessionUpdate: 'terminal_output_chunk',
    terminalId: 'w1',
    data: btoa(output),
  });
  // The kind of the update stays.
  const call = { ...calls('t1'), content: [{ type: 'terminal', terminalId: 'w1' }] } as AnyUpdate;
  const done = { ...call, status: 'completed' } as AnyUpdate;
  const before = conversationOf(
    ...[repeats('Build.'), call, prints('built')],
    { sessionUpdate: 'unfinished_cancelled' },
    { sessionUpdate: 'turn_failed', cause: 'interrupted', reason: 'It ended.' },
  );
  const replayed = conversationOf(repeats('Build.'), done, prints('bu'));
  const { entries, terminals } = foldUpdates(before, [newHistory(before, before, replayed)]);
  expect(entries[1]).toMatchObject({ status: 'completed' });
  expect(terminals['w1']?.output).toBe('built');
});

test('what the user said while a history came stands behind it, and stays where nothing came', () => {
  const before = conversationOf(repeats('One.'), says('1'));
  const shown = foldUpdates(before, [
    { sessionUpdate: 'prompt_submitted', key: 'prompt:1', content: [{ type: 'text', text: 'Meanwhile.' }] },
  ]);
  const after = (...more: AnyUpdate[]) =>
    foldUpdates(shown, [newHistory(before, shown, conversationOf(repeats('One.'), says('1'), ...more))])
      .entries;
  const { 0: first, 1: second, 2: meanwhile } = shown.entries;
  expect(after()).toEqual([first, second, meanwhile]);
  expect(after()[2]).toBe(meanwhile);
  expect(after(repeats('Two.'), says('2'))).toMatchObject([
    first,
    second,
    { content: [{ text: 'Two.' }] },
    { content: [{ text: '2' }] },
    meanwhile,
  ]);
});

test('a message without an id gets the one of the replay under its key, while both say the same', () => {
  const before = conversationOf(repeats('Draw.'), says('Here.'), calls('t1'));
  const message = (messageId: string, said: string): AnyUpdate => ({
    sessionUpdate: 'user_message',
    messageId,
    content: [{ type: 'text', text: said }],
  });
  const named = foldUpdates(before, [newHistory(before, before, conversationOf(message('u1', 'Draw.')))]);
  expect(named.entries).toEqual([{ ...before.entries[0], messageId: 'u1' }, ...before.entries.slice(1)]);
  expect(foldUpdates(named, [message('u1', 'Draw it.')]).entries).toHaveLength(3);
  const replayed = conversationOf(message('u1', 'Paint.'), calls('t1'), message('u1', 'Paint.'));
  const taken = foldUpdates(named, [newHistory(before, named, replayed), message('u1', 'Paint.')]);
  expect(taken.entries.slice(0, 3)).toEqual(before.entries);
  expect(taken.entries).toHaveLength(4);
});

test('a tool call that works again is cancelled with the turn that it works in', () => {
  const status = (status: string): AnyUpdate => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't1',
    status,
  });
  const turn = [calls('t1'), status('completed'), calls('t2'), { sessionUpdate: 'unfinished_cancelled' }];
  const { entries } = conversationOf(...(turn as AnyUpdate[]), status('in_progress'), {
    sessionUpdate: 'unfinished_cancelled',
  });
  expect(entries).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
});

test.each([
  ['one in a history', 'replay', ['One.', 'Two.']],
  ['a part of one when they come live', 'live', ['One.Two.']],
] as const)('a second text of the user in a row is %s', (_, origin, prompts) => {
  const { entries } = foldUpdates(emptyConversation('s1'), [repeats('One.'), repeats('Two.')], { origin });
  expect(entries.map((entry) => entry.kind === 'message' && textOf(entry))).toEqual(prompts);
});

test('a prompt keeps its picture when the agent repeats the words before it', () => {
  const content = [
    { type: 'text', text: 'Look.' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
  ] as const;
  const { entries } = conversationOf(
    { sessionUpdate: 'prompt_submitted', key: 'p', content },
    repeats('Look.'),
  );
  expect(entries[0]).toMatchObject({ content });
});

test.each([
  ['ends as the one before did, under its name', 'completed', 'Run'],
  ['works as the one before does that has not ended', 'in_progress', 'bash'],
] as const)('a call of the next turn with a known id stays if it %s', (_, status, announced) => {
  const call = (title: string, status: string): AnyUpdate => ({ ...calls('t1'), title, status });
  const update = { sessionUpdate: 'tool_call_update', toolCallId: 't1', title: 'Run', status } as const;
  const { entries } = conversationOf(
    call('Run', status),
    repeats('Again.'),
    call(announced, 'pending'),
    update,
  );
  expect(entries).toMatchObject([{ status }, {}, { status }]);
});

const submitted: AnyUpdate = {
  ...{ sessionUpdate: 'prompt_submitted', key: 'p' },
  content: [{ type: 'text', text: 'Hi.' }],
};
const settled = (accepted: boolean): AnyUpdate => ({
  ...{ sessionUpdate: 'prompt_settled', key: 'p' },
  ...{ accepted, messageId: accepted ? 'u1' : null },
});
const echo = repeats('Hi.', 'u1');

test.each<[string, readonly AnyUpdate[], object]>([
  ['is one with the message that its answer names', [echo, submitted, settled(true)], { key: 'p' }],
  ['is not confirmed by two answers', [submitted, settled(true), settled(true)], { origin: 'local' }],
  ['stays if it is refused after it was repeated', [submitted, echo, settled(false)], { origin: 'live' }],
])('a prompt %s', (_, updates, expected) => {
  expect(conversationOf(...updates).entries).toMatchObject([{ messageId: 'u1', ...expected }]);
});
