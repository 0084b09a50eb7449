import { type ContentPart, HttpAgent } from '@ag-ui/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { ContentBlock } from '../../src/core/model/content.ts';
import type { Conversation, ConversationEntry, ToolCallEntry } from '../../src/core/model/conversation.ts';
import type { ConversationEvent } from '../../src/core/model/event.ts';
import { acpAgent } from '../../src/ui/ag-ui/agent.ts';
import { runFailed, runFinished } from '../../src/ui/ag-ui/events.ts';
import { interruptOf } from '../../src/ui/ag-ui/interrupts.ts';
import { toAgUiMessages } from '../../src/ui/ag-ui/messages.ts';
import { promptOf } from '../../src/ui/ag-ui/prompt.ts';
import { agUiResponse } from '../../src/ui/ag-ui/response.ts';
import { toAgUiState } from '../../src/ui/ag-ui/state.ts';
import { chatTransport } from '../../src/ui/ai-sdk/chat-transport.ts';
import type { AcpPart } from '../../src/ui/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';
import { promptContent } from '../../src/ui/ai-sdk/prompt-content.ts';
import { askInChat, type ChatQuestion } from '../../src/ui/bridges/ask-in-chat.ts';
import { choicesOf } from '../../src/ui/bridges/chat-answers.ts';
import { chatSource, followTurn } from '../../src/ui/bridges/chat-source.ts';
import { eventsBetween } from '../../src/ui/bridges/conversation-events.ts';
import { createCredit, eventSize } from '../../src/ui/bridges/credit.ts';
import { callIdOf } from '../../src/ui/bridges/permission-ids.ts';
import { agUiEvents, agUiTurn, checkGeneratedAgUi, each, eventsOf } from '../support/ag-ui-turns.ts';
import { answering, asking, permissionOptions as options } from '../support/asking-agent.ts';
import { openChatPanel, openChatSession } from '../support/chat-places.ts';
import { eventually } from '../support/eventually.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import { checkGenerated, generatedTurn, playTurn } from '../support/generated-turns.ts';
import { elicit, panelPair } from '../support/panel-pair.ts';
import { said } from '../support/recorded-stores.ts';
import { runs } from '../support/runs.ts';
import { conversation, EXAMPLE, message, toolCall } from '../unit/render/example.ts';

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const request = { title: null, description: null, toolCall: null, subject: null, options };

/** Asks the user of a chat, with these fields. */
async function put(fields: object, signal = new AbortController().signal) {
  const session = await openChatSession(asking().agent);
  const source = chatSource(session);
  const outcome = askInChat({ ...request, ...fields }, { session, signal });
  return { source, outcome, id: source.questions()[0]?.id ?? '' };
}

describe('a request that is put to a chat', () => {
  test.each<[string, object, Partial<ChatQuestion>]>([
    ['its own title', { title: 'Delete it?' }, { title: 'Delete it?', toolCallKey: null }],
    ['no title', {}, { title: null, toolCallKey: null, subagent: null }],
  ])('has %s', async (_, fields, shown) => {
    const { source, outcome, id } = await put(fields);
    expect(source.questions()).toMatchObject([{ ...shown, options }]);
    await source.answer(id, null);
    expect(await outcome).toEqual({ outcome: 'cancelled' });
  });

  test('does not wait if it was withdrawn before', async () => {
    const { source, outcome } = await put({}, AbortSignal.abort());
    expect(source.questions()).toEqual([]);
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
    const { source, id } = await put({ options: options.slice(0, 1) });
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

  const [first, ...others] = before.entries;
  test.each([
    ['the removal of an entry before others', others, [{ type: 'entryRemoved', key: first?.key }]],
    [
      'the removal of the last entry',
      before.entries.slice(0, -1),
      [{ type: 'entryRemoved', key: 'tool:t1' }],
    ],
    ['a reset if its entries are others', before.entries.toReversed(), undefined],
    ['a reset if it has none of its entries', [], undefined],
  ])('is %s', (_, entries, removals) => {
    const after = { ...before, entries };
    const events = removals && [...removals, { type: 'fields', changed: {} }];
    expect(eventsBetween(before, after)).toEqual(events ?? [{ type: 'reset', conversation: after }]);
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
  const event = { type: 'toolCall', toolCall: toolCall({ content }), isNew: true } as const;
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
  const begun = foldUpdates(emptyConversation('s'), [said('agent', 'Hello.'), said('user', 'Go on.')]);
  expect(toUIMessages(begun).map(({ id, role }) => [id, role])).toEqual([
    ['answer:', 'assistant'],
    [begun.entries[1]?.key, 'user'],
  ]);
});

const blocks: readonly ContentBlock[] = [
  { type: 'text', text: 'One. ', annotations: { priority: 1 } },
  { type: 'image', data: 'QQ==', mimeType: 'image/png', uri: 'file:///a.png' },
  { type: 'resource_link', uri: 'https://example.com/a', name: 'A', title: 'Title', mimeType: 'text/plain' },
  { type: 'resource_link', uri: 'file:///a.html', name: 'B' },
  { type: 'resource_link', uri: 'javascript:alert(1)', name: 'C' },
  { type: 'resource', resource: { uri: 'file:///a', text: '\ud800', mimeType: 'text/markdown' } },
  { type: 'resource', resource: { uri: 'file:///a', blob: 'QQ==' } },
  { type: 'resource', resource: { uri: 'file:///a', blob: 'QQ==', mimeType: docx } },
];
const contents = blocks.map((content) => ({ type: 'content', content }) as const);
const calls: readonly Partial<ToolCallEntry>[] = [
  { name: 'make', content: [...contents, { type: 'terminal', terminalId: 'missing' }, { type: '_other' }] },
  { rawOutput: 0 },
  { rawOutput: 'raw', content: contents.slice(0, 1) },
  { status: 'failed', rawOutput: '' },
  { status: 'failed', rawOutput: { code: 1 } },
  { status: 'cancelled', content: [...contents.slice(0, 1), ...contents.slice(0, 1)] },
  { status: 'strange', rawOutput: 1 },
];
const entries: readonly ConversationEntry[] = [
  ...EXAMPLE.entries,
  ...(['user', 'agent', 'thought'] as const).map((role) => message(role, ...blocks)),
  { ...message('user', ...blocks), key: 'steer:1' },
  ...calls.map(toolCall),
  { kind: 'turnFailure', key: 'failure', cause: 'failed', reason: 'No.', code: 5, origin: 'live' },
];
const address = { type: 'url', value: 'https://example.com/a/b/' } as const;
const bytes = { type: 'data', value: 'QQ==', mimeType: 'image/png' } as const;
const prompt: ContentPart[] = [
  { type: 'text', text: 'Hi' },
  { type: 'document', source: address },
  { type: 'image', source: { ...address, value: '/', mimeType: 'image/png' } },
  { type: 'image', source: bytes },
  { type: 'document', id: 'a', source: { ...bytes, mimeType: docx } },
];
const parts: AcpPart[] = [
  ...['text/plain', 'image/png', 'audio/wav', docx, ''].map((type) => {
    const url = `data:${type};charset=utf-8;base64,R3LDvMOfZQ==`;
    return { type: 'file', mediaType: 'image/webp', filename: 'ä b.txt', url } as const;
  }),
  { type: 'file', mediaType: 'image/png', url: 'https://example.com/a' },
  { type: 'source-url', sourceId: 's', url: 'https://example.com/b' },
  { type: 'source-url', sourceId: 's', url: 'https://example.com/b', title: 'B' },
  { type: 'text', text: '' },
  { type: 'reasoning', id: 'r', text: 'I think.' },
];

const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, thoughtTokens: 4, cachedReadTokens: null };
const results = [
  { stopReason: 'end_turn' },
  { stopReason: 'cancelled' },
  { stopReason: null },
  undefined,
  { stopReason: 'cancelled', usage },
];
const run = { threadId: 't', runId: 'r' };
const errors = [new Error('No.'), Object.assign(new Error('No.'), { code: 5 }), { code: 5 }];

const begin: AnyUpdate = {
  sessionUpdate: 'prompt_submitted',
  key: 'prompt:1',
  content: [{ type: 'text', text: 'Begin.' }],
};
const removed: AnyUpdate = { sessionUpdate: 'prompt_settled', key: 'prompt:1', accepted: false };
const settled: AnyUpdate = { ...removed, key: 'prompt:9', accepted: true };
const word = (key: string, text: string): AnyUpdate => {
  const [role, messageId = ''] = key.split(' ');
  return {
    sessionUpdate: `${role}_chunk` as 'agent_message_chunk',
    messageId,
    content: { type: 'text', text },
  };
};
const image = (key: string): AnyUpdate => ({ ...word(key, ''), content: blocks[1] }) as AnyUpdate;
const call = (toolCallId: string, fields: object): AnyUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...fields,
});
const shownTerminal = { type: 'terminal', terminalId: 'x' };
const output = { type: 'content', content: { type: 'text', text: 'Out.' } } as const;
const diff = { type: 'diff', changes: [{ operation: 'add', path: '/a' }], patch: null };
const ask = (toolCallId: string, title: string | null): AnyUpdate => ({
  sessionUpdate: 'permission_update',
  toolCallId,
  permission: title === null ? null : { title, description: null, options },
});
const plan = (planId: string, content: string): AnyUpdate => ({
  sessionUpdate: 'plan_update',
  plan: { type: 'markdown', planId, content },
});

/** Updates before a turn, and those of the turn that arrive together. */
const turns: Readonly<Record<string, readonly (readonly AnyUpdate[])[]>> = {
  nothing: [[]],
  words: [
    [],
    [word('agent_thought t', 'I think.')],
    [word('agent_message a', 'One,'), word('agent_message a', ' two,')],
    [word('agent_message a', ' three.')],
    [image('agent_message a')],
    [word('agent_message a', ' Four.'), word('agent_message b', '')],
    [word('agent_thought t', ' More.')],
    [word('agent_thought t', ' Still more.'), word('agent_message a', ' Five.')],
    [word('agent_thought t', ' The end.')],
  ],
  'words of the user': [
    [word('user_message u', 'Before.'), word('agent_message a', 'I begin.')],
    [
      settled,
      word('agent_message a', ' I go on.'),
      word('user_message v', 'Hello. '),
      word('user_message v', 'You?'),
    ],
    [word('agent_message b', 'Yes.'), image('user_message v'), word('user_message v', ' I am here.')],
    [word('agent_message a', ' I end.')],
    [word('agent_message b', ' Bye.')],
  ],
  'messages that are replaced and removed': [
    [begin, word('agent_message a', 'Old.')],
    [word('agent_message b', 'I begin.'), { ...begin, key: 'steer:2' }],
    [{ sessionUpdate: 'agent_message', messageId: 'a', content: [{ type: 'text', text: 'New.' }] }],
    [{ sessionUpdate: 'agent_message', messageId: 'b', content: blocks.slice(0, 2) }],
    [word('agent_message b', ' More.')],
    [{ ...removed, key: 'steer:2' }, removed],
    [{ ...begin, key: 'prompt:10' }, word('agent_message c', 'The next turn.')],
  ],
  'tool calls': [
    [],
    [call('t', { title: 'Build', kind: 'execute', rawInput: { target: 'all' } })],
    [call('u', { title: null, name: 'read', content: [output] }), word('agent_message a', 'I wait.')],
    [call('t', { status: 'in_progress' }), ask('u', 'May I?')],
    [call('t', { content: [output] }), ask('u', null)],
    [{ sessionUpdate: 'tool_call_content_chunk', toolCallId: 't', content: output }],
    [call('t', { content: [output, output, diff, { type: 'session', sessionId: 'c' }, { type: '_other' }] })],
    [call('t', { content: [diff] })],
    [call('t', { status: 'completed', rawOutput: { code: 0 }, locations: [{ path: '/a' }] })],
    [call('t', { title: 'Built', content: [output] }), call('u', { status: 'failed' })],
    [call('t', { name: 'make', rawInput: { target: 'some' } }), call('v', {})],
    [call('w', { status: 'cancelled', rawOutput: 'No.' }), call('v', { rawInput: 1 }), ask('v', 'And this?')],
  ],
  'tool calls of an earlier turn': [
    [
      call('t', { title: 'Build', content: [shownTerminal], status: 'in_progress' }),
      call('u', { title: 'Test', status: 'completed', rawOutput: 1, content: [output] }),
      print('x'),
    ],
    [print('x'), call('u', { title: 'Tested', rawOutput: 2, content: [output, output] })],
    [
      call('t', { status: 'completed' }),
      { sessionUpdate: 'tool_call_content_chunk', toolCallId: 'u', content: diff } as AnyUpdate,
    ],
  ],
  commands: [
    [],
    [call('t', { content: [output, shownTerminal, shownTerminal] }), print('y')],
    [print('x'), call('u', { content: [shownTerminal, { type: 'terminal', terminalId: 'y' }] })],
    [print('x'), print('y'), { ...print('x'), data: '' } as AnyUpdate],
    [call('t', { content: [output] }), print('x')],
    [
      {
        sessionUpdate: 'terminal_update',
        terminalId: 'x',
        command: 'make',
        cwd: '/',
        exitStatus: { exitCode: 0 },
      },
    ],
    [print('y')],
  ],
  'the state': [
    [plan('a', 'Old.'), { sessionUpdate: 'session_info_update', title: 'Tea' }],
    [word('agent_message a', 'I plan.')],
    [plan('b', 'Build.'), plan('a', 'New.')],
    [
      { sessionUpdate: 'plan_removed', planId: 'a' },
      plan('b', 'Test.'),
      { sessionUpdate: 'plan_removed', planId: 'c' },
    ],
    [{ sessionUpdate: 'usage_update', used: 1, size: 2 }],
    [{ sessionUpdate: 'subagent_update', sessionId: 'c', title: 'Search' }],
    [
      { sessionUpdate: 'session_info_update', title: 'Coffee' },
      { sessionUpdate: 'models_update', models: { currentModelId: 'a', availableModels: [] } },
      { sessionUpdate: 'models_update', models: null },
    ],
    [{ sessionUpdate: 'state_update', state: 'running', stopReason: null }],
  ],
  'everything else': [
    [],
    [{ sessionUpdate: 'session_message', messageId: 'm', content: blocks.slice(0, 1) }],
    [{ sessionUpdate: 'session_message_chunk', messageId: 'm', content: { type: 'text', text: 'Two.' } }],
    [{ sessionUpdate: 'compaction_update', compactionId: 'c', status: 'in_progress' }],
    [
      {
        sessionUpdate: 'compaction_summary_chunk',
        compactionId: 'c',
        content: { type: 'text', text: 'All.' },
      },
    ],
    [{ sessionUpdate: 'notice', severity: 'info', title: 'Tea' }],
    [{ sessionUpdate: '_unknown', update: { sessionUpdate: '_vendor/x', value: 1 } }],
    [{ sessionUpdate: 'turn_failed', cause: 'failed', reason: 'No.', code: 5 }],
  ],
};

/** What a turn can tell beside the updates of a conversation. The rest of an event is not read. */
const others = [
  { type: 'text', key: 'agent:a', text: 'I begin.' },
  { type: 'toolCall', toolCall: toolCall({ status: 'pending', permission: null }) },
  { type: 'permission', permission: { ...request, title: 'May I?' }, toolCall: null },
  { type: 'notice', notice: { severity: 'info', title: 'Tea' } },
  { type: 'reset', conversation: conversation({ entries: [message('agent', ...blocks)] }) },
  { type: 'text', key: 'agent', text: ' More.' },
] as readonly object[] as readonly ConversationEvent[];

/** All that both bridges send of a turn. */
async function sentOf([before = [], ...during]: readonly (readonly AnyUpdate[])[]) {
  const chunks = async (isLate: boolean) => {
    const { read } = await playTurn({ before, during, isLate }, linesOf);
    return read;
  };
  const updates = [...before, { ...begin, key: 'prompt:9' }, ...during.flat()];
  return [await chunks(false), await chunks(true), ...(await agUiEvents(updates, before.length + 1))];
}

async function linesOf(stream: AsyncIterable<object>) {
  const lines: object[] = [];
  for await (const line of stream) lines.push(line);
  return lines;
}

test('a conversation, a prompt, a request, an end of each kind and turns are what the golden file says', async () => {
  const spent = { totalTokens: 3, inputTokens: 1, outputTokens: 2 };
  const activity = { state: 'idle', stopReason: 'end_turn', usage: spent };
  const finished: Conversation = { ...EXAMPLE, entries, activity };
  const running: Conversation = { ...finished, activity: { state: 'running', stopReason: null } };
  const question = { id: 'q', toolCallKey: null, title: null, description: null, options, subagent: null };
  const shown = {
    uiMessages: toUIMessages(finished),
    messages: toAgUiMessages(finished),
    states: [finished, emptyConversation('s')].map(toAgUiState),
    running: [toUIMessages(running).at(-1)?.metadata, toAgUiMessages(running).map(({ id }) => id)],
    prompts: [
      promptOf({ id: 'u', role: 'user', content: prompt }),
      promptContent({ id: 'u', role: 'user', parts }),
    ],
    ends: [
      // The rest of a result is not read.
      (results as Parameters<typeof runFinished>[1][]).map((result) => runFinished(run, result)),
      errors.map(runFailed),
    ],
    interrupts: [question, { ...question, title: 'Delete', description: 'All of it' }].map(interruptOf),
  };
  // The id of a request is random.
  const told = [JSON.stringify(shown, null, 2)];
  for (const [name, turn] of Object.entries(turns))
    for (const sent of await sentOf(turn)) told.push(`# ${name}`, ...sent.map((one) => JSON.stringify(one)));
  for (const one of await eventsOf(each(others))) told.push(JSON.stringify(one));
  const text = told.join('\n').replaceAll(/permission-\d+/g, 'permission-0');
  await expect(`${text}\n`).toMatchFileSnapshot('golden/everything.txt');
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

test('[bridges: generated] a generated turn is for AI SDK what its conversation is', async () => {
  await fc.assert(fc.asyncProperty(generatedTurn, checkGenerated), { numRuns: runs(15) });
});

test('the events of a generated turn, read by AG-UI, are the messages of the conversation after it', async () => {
  await fc.assert(fc.asyncProperty(agUiTurn, checkGeneratedAgUi), { numRuns: runs(25) });
});

/** The reader then gets all messages again. */
const replaced = ['One.', 'Two.'].map((text): AnyUpdate => {
  return { sessionUpdate: 'agent_message', messageId: 'b', content: [{ type: 'text', text }] };
});

test.each<[string, readonly AnyUpdate[], readonly AnyUpdate[]]>([
  ['a message is removed', [begin], [removed]],
  ['a message is removed, and another one has its key', [begin], [removed, begin, ...replaced]],
  ['a message goes on', [said('agent', 'I begin.', 'a')], [said('agent', ' I end.', 'a'), ...replaced]],
  [
    'the command of a tool call prints more',
    [
      { sessionUpdate: 'tool_call', toolCallId: 't', content: [{ type: 'terminal', terminalId: 'x' }] },
      print('x'),
    ],
    [print('x')],
  ],
])('the reader has what the conversation has if of an earlier turn %s', async (_, before, during) => {
  await checkGeneratedAgUi([[...before, ...during], before.length]);
});
