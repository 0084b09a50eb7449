import { HttpAgent } from '@ag-ui/client';
import { describe, expect, test } from 'vitest';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { ToolCallEvent } from '../../src/core/model/event.ts';
import { acpAgent } from '../../src/ui/ag-ui/agent.ts';
import { runFailed, runFinished } from '../../src/ui/ag-ui/events.ts';
import { agUiResponse } from '../../src/ui/ag-ui/response.ts';
import { chatTransport } from '../../src/ui/ai-sdk/chat-transport.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';
import { askInChat, type ChatQuestion } from '../../src/ui/bridges/ask-in-chat.ts';
import { choicesOf } from '../../src/ui/bridges/chat-answers.ts';
import { chatSource, followTurn } from '../../src/ui/bridges/chat-source.ts';
import { eventsBetween } from '../../src/ui/bridges/conversation-events.ts';
import { createCredit, eventSize } from '../../src/ui/bridges/credit.ts';
import { callIdOf } from '../../src/ui/bridges/permission-ids.ts';
import { answering, asking, permissionOptions as options } from '../support/asking-agent.ts';
import { openChatPanel, openChatSession } from '../support/chat-places.ts';
import { eventually } from '../support/eventually.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import { elicit, panelPair } from '../support/panel-pair.ts';
import { said } from '../support/recorded-stores.ts';

const request = { title: null, description: null, toolCall: null, subject: null, options };

describe('a request that is put to a chat', () => {
  test.each<[string, object, Partial<ChatQuestion>]>([
    ['its own title', { title: 'Delete it?' }, { title: 'Delete it?', toolCallKey: null }],
    ['no title', {}, { title: null, toolCallKey: null, subagent: null }],
  ])('has %s', async (_, fields, shown) => {
    const session = await openChatSession(asking().agent);
    const source = chatSource(session);
    const outcome = askInChat({ ...request, ...fields }, { session, signal: new AbortController().signal });
    expect(source.questions()).toMatchObject([{ ...shown, options }]);
    await source.answer(source.questions()[0]?.id ?? '', null);
    expect(await outcome).toEqual({ outcome: 'cancelled' });
  });

  test('reaches the listeners that are there, and not those that were removed', async () => {
    const session = await openChatSession(asking().agent);
    const source = chatSource(session);
    const told: string[] = [];
    source.subscribe(() => told.push('stays'));
    const leave = source.subscribe(() => told.push('left'));
    leave();
    void askInChat(request, { session, signal: new AbortController().signal });
    session.queue('Go on.').catch(() => {});
    await eventually(() => session.conversation.entries.length).toBeGreaterThan(0);
    expect(new Set(told)).toEqual(new Set(['stays']));
  });

  test('is cancelled by a no if none of its options says no', async () => {
    const session = await openChatSession(asking().agent);
    const source = chatSource(session);
    const [allow] = options;
    void askInChat(
      { ...request, options: allow ? [allow] : [] },
      { session, signal: new AbortController().signal },
    );
    const id = source.questions()[0]?.id ?? '';
    expect(choicesOf(source, [{ id, approved: false, optionId: undefined }])).toEqual(new Map([[id, null]]));
  });
});

test('a form that the panel shows is no question of the chat', async () => {
  const agent = answering(() => ({ stopReason: 'end_turn' }));
  const panel = await openChatPanel(agent);
  void elicit(agent, { requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } });
  await eventually(() => panel.getSnapshot().questions.map(({ kind }) => kind)).toEqual(['form']);
  expect(chatSource(panel).questions()).toEqual([]);
});

test('a panel that shows no session has no turn', async () => {
  const { panel } = await panelPair({});
  expect(await chatTransport(panel).reconnectToStream({ chatId: 'c' })).toBeNull();
  expect(await followTurn(chatSource(panel))).toEqual({ stopReason: null });
  const body = JSON.stringify({ threadId: 't', runId: 'r', messages: [] });
  const response = await agUiResponse(panel, new Request('http://localhost/', { method: 'POST', body }));
  expect(await response.text()).toContain('"outcome":{"type":"success"}');
});

test('the end of a turn that ran last says how it ended', async () => {
  const session = await openChatSession(answering(() => ({ stopReason: 'refusal' })));
  await session.prompt('Go on.');
  expect(await followTurn(chatSource(session))).toEqual({ stopReason: 'refusal' });
});

const print = (terminalId: string): AnyUpdate => ({
  sessionUpdate: 'terminal_output_chunk',
  terminalId,
  data: 'YQ==',
});

describe('what happened between two snapshots of a page', () => {
  const before = foldUpdates(emptyConversation('s'), [
    said('user', 'Build it.', 'u1'),
    said('agent', 'I begin.', 'a1'),
    { sessionUpdate: 'tool_call_update', toolCallId: 't1', title: 'Build' },
    print('x'),
    print('y'),
  ]);
  test.each<[string, readonly AnyUpdate[], readonly object[]]>([
    ['nothing', [], []],
    [
      'a text that grew',
      [said('agent', ' More.', 'a1')],
      [{ type: 'text', key: 'agent:a1', text: ' More.' }],
    ],
    [
      'an entry that changed and one that is new',
      [{ sessionUpdate: 'tool_call_update', toolCallId: 't1', title: 'Test' }, said('agent', 'Done.', 'a2')],
      [
        { type: 'toolCall', isNew: false, toolCall: { title: 'Test' } },
        { type: 'text', key: 'agent:a2' },
      ],
    ],
    [
      'the output of one terminal',
      [print('y')],
      [{ type: 'terminal', terminal: { terminalId: 'y', output: 'aa' } }],
    ],
  ])('is %s', (_, updates, expected) => {
    const events = eventsBetween(before, foldUpdates(before, updates));
    const nothing = { type: 'fields', changed: {} };
    expect(events).toHaveLength(expected.length + 1);
    expect(events).toMatchObject([...expected, nothing]);
    expect(events.at(-1)).toEqual(nothing);
  });

  test('is a field that changed, and no other one', () => {
    const after = foldUpdates(before, [{ sessionUpdate: 'session_info_update', title: 'Tea' }]);
    expect(eventsBetween(before, after)).toEqual([{ type: 'fields', changed: { info: after.info } }]);
  });

  test('is an empty list if no message waits any more', () => {
    const message = { id: 'q', kind: 'queue', state: 'held', content: [], messageId: null } as const;
    const waiting = foldUpdates(before, [{ sessionUpdate: 'pending_messages', messages: [message] }]);
    expect(eventsBetween(waiting, before)).toEqual([{ type: 'fields', changed: { pendingMessages: [] } }]);
  });

  test.each([
    ['an entry before others', before.entries.slice(1)],
    ['the last entry', before.entries.slice(0, -1)],
  ])('says that %s was removed', (_, entries) => {
    const removed = before.entries.filter((entry) => !entries.includes(entry));
    const [removal, ...others] = eventsBetween(before, { ...before, entries });
    expect(removal).toEqual({ type: 'entryRemoved', key: removed[0]?.key });
    expect(others).toEqual([{ type: 'fields', changed: {} }]);
  });

  test.each([
    ['its entries are others', before.entries.toReversed()],
    ['it has none of its entries', []],
  ])('is a reset if %s', (_, entries) => {
    const after = { ...before, entries };
    expect(eventsBetween(before, after)).toEqual([{ type: 'reset', conversation: after }]);
  });
});

test('the credit of a stream is what it begins with, and four times what was received', () => {
  const credit = createCredit();
  credit.spend(64 * 1024);
  expect(credit.isLeft()).toBe(true);
  credit.spend(5);
  expect(credit.isLeft()).toBe(false);
  credit.earn(1);
  expect(credit.isLeft()).toBe(false);
  credit.earn(1);
  expect(credit.isLeft()).toBe(true);
});

test('what an event has of the one before counts once', () => {
  const content = [{ type: 'content', content: { type: 'text', text: 'x'.repeat(1000) } }] as const;
  const { entries } = foldUpdates(emptyConversation('s'), [
    { sessionUpdate: 'tool_call_update', toolCallId: 't1', title: 'Build', content },
  ]);
  // It is a tool call.
  const event = { type: 'toolCall', toolCall: entries[0], isNew: true } as ToolCallEvent;
  const known = new WeakSet<object>();
  expect(eventSize(event, known)).toBeGreaterThan(1000);
  expect(eventSize({ ...event }, known)).toBeLessThan(1000);
});

test.each([
  ['tool:a', 'a'],
  ['tool:a tool:b', 'a tool:b'],
  ['tool#2:a tool:b', 'tool#2:a tool:b'],
])('the tool call of the entry %j has the id %j', (key, id) => {
  expect(callIdOf(key)).toBe(id);
});

test('a conversation that begins with the agent begins with its answer', () => {
  const conversation = foldUpdates(emptyConversation('s'), [said('agent', 'Hello.'), said('user', 'Go on.')]);
  expect(toUIMessages(conversation).map(({ id, role }) => [id, role])).toEqual([
    ['answer:', 'assistant'],
    [conversation.entries[1]?.key, 'user'],
  ]);
});

const run = { threadId: 't', runId: 'r' };
const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, thoughtTokens: 4, cachedReadTokens: null };
test.each([
  [{ stopReason: 'end_turn' }, { outcome: { type: 'success' }, result: { stopReason: 'end_turn' } }],
  [{ stopReason: 'cancelled' }, { outcome: { type: 'cancelled' } }],
  [{ stopReason: null }, { outcome: { type: 'success' } }],
  [undefined, { outcome: { type: 'success' } }],
  [
    { stopReason: 'cancelled', usage },
    {
      outcome: { type: 'cancelled' },
      usage: [{ inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 4 }],
    },
  ],
])('a turn that ended with %j ends its run with %j', (result, end) => {
  // The rest of a result is not read.
  const event = runFinished(run, result as Parameters<typeof runFinished>[1]);
  expect(event).toEqual({ type: 'RUN_FINISHED', ...run, ...end });
});

test.each([
  [new Error('No.'), { message: 'No.' }],
  [Object.assign(new Error('No.'), { code: 5 }), { message: 'No.', code: '5' }],
  [{ code: 5 }, { message: expect.any(String) }],
])('a turn that failed with %j ends its run with %j', (error, end) => {
  expect(runFailed(error)).toEqual({ type: 'RUN_ERROR', ...end });
});

test('an agent of AG-UI has the thread of its session, or the one that it is given', async () => {
  const agent = answering(() => ({ stopReason: 'end_turn' }));
  const panel = await openChatPanel(agent);
  const { panel: other } = await panelPair({});
  expect(acpAgent(panel, { HttpAgent }).threadId).toBe('s1');
  expect(acpAgent(panel, { HttpAgent, threadId: 't' }).threadId).toBe('t');
  expect(acpAgent(other, { HttpAgent }).threadId).toMatch(/\w/);
  expect(acpAgent(await openChatSession(asking().agent), { HttpAgent }).threadId).toBe('s1');
});
