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
import { answerStream } from '../../src/ui/ai-sdk/answer-stream.ts';
import { chatTransport } from '../../src/ui/ai-sdk/chat-transport.ts';
import type { AcpPart } from '../../src/ui/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';
import { promptContent } from '../../src/ui/ai-sdk/prompt-content.ts';
import { askInChat, type ChatQuestion } from '../../src/ui/bridges/ask-in-chat.ts';
import { choicesOf } from '../../src/ui/bridges/chat-answers.ts';
import { chatSource, followTurn } from '../../src/ui/bridges/chat-source.ts';
import { createCredit, eventSize } from '../../src/ui/bridges/credit.ts';
import { callIdOf } from '../../src/ui/bridges/permission-ids.ts';
import { agUiEvents, agUiTurn, checkGeneratedAgUi, each, eventsOf } from '../support/ag-ui-turns.ts';
import { answering, asking, permissionOptions as options, says } from '../support/asking-agent.ts';
import { openChatPanel, openChatSession } from '../support/chat-places.ts';
import { eventually } from '../support/eventually.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import { checkGenerated, generatedTurn, playTurn } from '../support/generated-turns.ts';
import { elicit, panelPair } from '../support/panel-pair.ts';
import { said } from '../support/recorded-stores.ts';
import { runs } from '../support/runs.ts';
import { conversation, EXAMPLE, message, terminal, text, toolCall } from '../unit/render/example.ts';

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
  message('agent'),
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
  ...[
    'https://example.com/?data:;base64,QQ==',
    'data:;base64,QQ==',
    'data:a/b;c=d;charset=utf-8;base64,QQ==',
  ].map((url) => ({ type: 'file', mediaType: 'image/png', url }) as const),
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
const stopReasons = ['end_turn', 'max_tokens', 'refusal', 'cancelled', 'strange', null];
const run = { threadId: 't', runId: 'r' };
const errors = [new Error('No.'), Object.assign(new Error('No.'), { code: 5 }), { code: 5 }];

// The compiler does not connect the name of an update with its fields.
const update = (sessionUpdate: string, fields: object) => ({ sessionUpdate, ...fields }) as AnyUpdate;
const chunk = (name: string) => (messageId: string, value: string | ContentBlock | undefined) =>
  update(`${name}_chunk`, { messageId, content: typeof value === 'string' ? text(value) : value });
const [agent, thought, user] = [chunk('agent_message'), chunk('agent_thought'), chunk('user_message')];
const call = (toolCallId: string, fields: object) => update('tool_call_update', { toolCallId, ...fields });
const added = (toolCallId: string, content: object) =>
  update('tool_call_content_chunk', { toolCallId, content });
const ask = (toolCallId: string, permission: object | null) =>
  update('permission_update', { toolCallId, permission });
const plan = (planId: string, content: string) =>
  update('plan_update', { plan: { type: 'markdown', planId, content } });
const submits = (key: string) => update('prompt_submitted', { key, content: [text('Begin.')] });
const settles = (key: string, fields: object = {}) =>
  update('prompt_settled', { key, accepted: true, ...fields });
const replaced = (messageId: string, ...content: readonly ContentBlock[]) =>
  update('agent_message', { messageId, content });
const pixel = (data: string) => ({ type: 'image', data, mimeType: 'image/png' }) as const;
const [output, x, y] = [
  { type: 'content', content: text('Out.') },
  { type: 'terminal', terminalId: 'x' },
  { type: 'terminal', terminalId: 'y' },
] as const;
const diff = { type: 'diff', changes: [{ operation: 'add', path: '/a' }], patch: null };
const asked = { title: 'May I?', description: null, options };

type Turn = readonly (readonly AnyUpdate[])[];

/** Updates before a turn, and those of the turn that arrive together. */
const turns: Readonly<Record<string, Turn>> = {
  nothing: [[], [agent('a', '')]],
  words: [
    [],
    [thought('t', 'I think.')],
    [agent('a', 'One,'), agent('a', ' two,')],
    [agent('a', ' three.')],
    [agent('a', blocks[1])],
    [agent('a', ' Four.'), agent('b', '')],
    [thought('t', ' More.')],
    [thought('t', ' Still more.'), agent('a', ' Five.')],
    [thought('u', 'I think')],
    [agent('a', ' Six')],
    [agent('a', ' seven'), thought('u', ' more')],
    [agent('b', ''), thought('u', ' still.'), agent('a', ' eight.')],
    [call('u', {}), agent('a', ' Nine.'), agent('c', 'Ten.')],
    [thought('t', ' The end.')],
  ],
  'words of the user': [
    [user('u', 'Before.'), user('u', blocks[1]), agent('a', 'I begin.'), agent('a', blocks[1])],
    [settles('prompt:9'), agent('a', ' I go on.'), agent('a', blocks[1]), user('u', ' More.')],
    [call('t', {}), user('v', 'Hello. '), user('v', 'You?')],
    [agent('b', 'Yes.'), user('v', blocks[1]), user('v', ' I am here.')],
    [agent('a', ' I end.'), call('t', { title: 'Build' })],
    [user('w', 'Bye.'), agent('c', 'Bye.')],
    [agent('b', ' No.'), agent('c', ' Bye.')],
    [user('x', 'Hello?')],
    [settles('prompt:9', { messageId: 'v' })],
  ],
  'messages that are replaced and removed': [
    [submits('prompt:1'), agent('a', 'Old.')],
    [agent('b', 'I begin.'), submits('steer:2')],
    [replaced('a', text('New.'))],
    [replaced('b', ...blocks.slice(0, 2))],
    [agent('b', ' More.'), settles('steer:2', { messageId: 's' })],
    [update('user_message', { messageId: 's', content: [text('Go on.'), ...blocks.slice(1)] })],
    [settles('prompt:1', { accepted: false })],
    [replaced('b', text('One. '))],
    [replaced('b', text('Two.'))],
    [replaced('b', text(''), pixel('QQ=='))],
    [replaced('b', text(''), pixel('Qg=='))],
    [replaced('b'), agent('c', 'Two.'), agent('d', 'Two.')],
    [replaced('c'), agent('e', 'Two. Three.')],
    [submits('steer:3')],
    [settles('steer:3', { accepted: false }), submits('prompt:1'), agent('f', 'The next turn.')],
    [replaced('a', text('Old.'))],
  ],
  'tool calls': [
    [
      call('x', { title: 'Build', content: [x], status: 'in_progress' }),
      call('y', { title: 'Test', status: 'completed', rawOutput: 1, content: [output, y] }),
      print('x'),
      print('y'),
    ],
    [print('x'), print('y'), added('x', diff)],
    [call('y', { title: 'Tested', rawOutput: 2, content: [output, output, y] })],
    [call('x', { status: 'completed' }), added('y', diff)],
    [call('t', { title: 'Build', kind: 'execute', rawInput: { target: 'all' } })],
    [call('u', { title: null, name: 'read', content: [output] }), agent('a', 'I wait.')],
    [call('t', { status: 'in_progress' }), ask('u', asked)],
    [call('t', { content: [output] }), ask('u', null)],
    [added('t', output)],
    [call('t', { content: [output, output, diff, { type: 'session', sessionId: 'c' }, { type: '_other' }] })],
    [call('t', { content: [diff] })],
    [call('t', { status: 'completed', rawOutput: { code: 0 }, locations: [{ path: '/a' }] })],
    [call('t', { title: 'Built', content: [output] }), call('u', { status: 'failed' })],
    [call('t', { name: 'make' }), call('v', {})],
    [call('t', { rawInput: { target: 'some' } }), ask('v', asked)],
    [call('w', { status: 'cancelled', rawOutput: 'No.' }), call('v', { rawInput: 1, status: 'completed' })],
    [call('t', { rawOutput: 1 })],
  ],
  'commands, and a request that stays': [
    [],
    [call('v', {}), ask('v', asked)],
    [call('t', { content: [output, x, x, { type: '_other', terminalId: 'x' }] }), print('y')],
    [print('x'), call('u', { content: [x, y] }), call('v', { locations: [{ path: '/a' }] })],
    [print('x'), print('y'), update('terminal_output_chunk', { terminalId: 'x', data: '' })],
    [call('t', { content: [output] }), print('x')],
    [update('terminal_update', { terminalId: 'x', command: 'make', cwd: '/', exitStatus: { exitCode: 0 } })],
    [print('y')],
  ],
  'the state': [
    [plan('a', 'Old.'), update('session_info_update', { title: 'Tea' })],
    [agent('a', 'I plan.')],
    [plan('b', 'Build.'), plan('a', 'New.')],
    [update('plan_removed', { planId: 'a' }), plan('b', 'Test.'), update('plan_removed', { planId: 'c' })],
    [update('usage_update', { used: 1, size: 2 }), plan('a', 'Again.')],
    [update('plan_removed', { planId: 'a' }), update('subagent_update', { sessionId: 'a', title: 'Search' })],
    [update('session_info_update', { title: 'Coffee' }), agent('a', ' I go on.')],
    [update('models_update', { models: { currentModelId: 'a', availableModels: [] } })],
    [update('models_update', { models: null }), update('state_update', { state: 'running' })],
  ],
  'everything else': [
    [],
    [update('session_message', { messageId: 'm', content: blocks.slice(0, 1) })],
    [update('session_message_chunk', { messageId: 'm', content: text('Two.') })],
    [update('compaction_update', { compactionId: 'c', status: 'in_progress' })],
    [update('compaction_summary_chunk', { compactionId: 'c', content: text('All.') })],
    [update('_unknown', { update: { sessionUpdate: '_vendor/x', value: 1 } })],
    [update('turn_failed', { cause: 'failed', reason: 'No.', code: 5 })],
  ],
};

/** What a turn can tell beside the updates of a conversation. The rest of an event is not read. */
const others = [
  { type: 'text', key: 'agent:a', text: 'I begin.' },
  { type: 'toolCall', toolCall: toolCall({ status: 'pending', permission: null, content: [x] }) },
  ...['', 'a'].map((printed) => ({ type: 'terminalOutput', terminalId: 'x', text: printed })),
  { type: 'terminal', terminal: terminal({ terminalId: 'x', output: 'b' }) },
  ...['', 'c'].map((printed) => ({ type: 'terminalOutput', terminalId: 'x', text: printed })),
  { type: 'permission', permission: { ...request, title: 'May I?' }, toolCall: null },
  { type: 'notice', notice: { severity: 'info', title: 'Tea' } },
  { type: 'reset', conversation: conversation({ entries: [message('agent', ...blocks)] }) },
  { type: 'text', key: 'agent', text: ' More.' },
] as readonly object[] as readonly ConversationEvent[];

async function linesOf(stream: AsyncIterable<object>) {
  const lines: object[] = [];
  for await (const line of stream) lines.push(line);
  return lines;
}

/** A reader that is busy until the end of the turn. */
async function linesAfter(stream: AsyncIterable<object>, ended: Promise<unknown>) {
  await ended;
  return linesOf(stream);
}

/** All that both bridges send of a turn: to a reader that is there, a busy one, one that comes later, and one after the turn. */
async function sentOf([before = [], ...during]: Turn) {
  const turn = { before, during, startsAt: 0 };
  const updates = [...before, submits('prompt:9'), ...during.flat()];
  return [
    await playTurn(turn, linesOf),
    await playTurn(turn, linesAfter),
    await playTurn({ ...turn, startsAt: 2 }, linesOf),
    await playTurn({ ...turn, startsAt: during.length }, linesOf),
    ...(await agUiEvents(updates, before.length + 1)),
  ];
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
    running: [Object.keys(toUIMessages(running).at(-1) ?? {}), toAgUiMessages(running).map(({ id }) => id)],
    asked: [[], [message('user', ...blocks)]].map((unanswered) =>
      toUIMessages(conversation({ entries: unanswered })),
    ),
    prompts: [
      ...['Hi', prompt].map((content) => promptOf({ id: 'u', role: 'user', content })),
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
  expect(() => promptContent({ id: 'u', role: 'user', parts: [] })).toThrow('The message is empty.');
  for (const provider of ['a cloud', undefined])
    expect(() =>
      promptOf({
        id: 'u',
        role: 'user',
        content: [{ type: 'image', source: { type: 'file', value: '/a', provider } }],
      }),
    ).toThrow(
      `The image in the message is a file of ${provider ?? 'a provider'} (/a), which the agent cannot read.`,
    );
  const alone = [question, { ...question, id: 'r', toolCallKey: 'tool:t', subagent: 'Search' }];
  const working = { before: [], during: [[call('t', {})], [agent('a', 'I wait.')]], startsAt: 0 };
  const idle = chatSource((await panelPair({})).panel);
  const none = { source: idle, key: () => undefined, approvalId: () => undefined };
  const chunks: (readonly object[])[] = [
    await playTurn({ ...working, questions: alone, begun: 'answer:b' }, linesOf),
    await playTurn({ ...working, during: [], questions: alone, begun: 'answer:b' }, linesOf),
    ...(await Promise.all(
      stopReasons.map((stopReason) =>
        linesOf(answerStream({ ...none, ended: Promise.resolve({ stopReason }) })),
      ),
    )),
    await linesOf(answerStream({ ...none, ended: Promise.reject(errors[0]) })),
  ];
  const answers = [() => ({ stopReason: 'end_turn' }), () => Promise.reject(errors[0])];
  for (const answer of answers) {
    const session = await openChatSession(
      answering((_, by) => {
        by.update('s1', says('I try.'));
        return answer();
      }),
    );
    chunks.push(await eventsOf(session.prompt('Go on.')));
  }
  told.push('# questions and ends', ...chunks.flat().map((one) => JSON.stringify(one)));
  told.push('# others', ...(await eventsOf(each(others))).map((one) => JSON.stringify(one)));
  const lines = told.join('\n').replaceAll(/permission-\d+/g, 'permission-0');
  await expect(`${lines}\n`).toMatchFileSnapshot('golden/everything.txt');
});

test('a stream repeats only what its credit covers: a change waits until more was received', async () => {
  const content = [{ type: 'content', content: text('x'.repeat(40_000)) }];
  const titles = (...all: readonly string[]) => all.map((title) => [call('t', { title })]);
  const during = [
    [call('t', { content })],
    ...titles('1', '2', '3', '4', '5', '6', '7', '8'),
    [agent('a', 'x'.repeat(30_000))],
    ...titles('9', '10'),
  ];
  const turn = { before: [], during, startsAt: 0 };
  await checkGenerated(turn);
  const lines = await playTurn(turn, linesOf);
  const shown = lines.flatMap((line) => ('title' in line ? [line.title] : []));
  expect(shown).toEqual(['other', '1', '2', '3', '4', '8', '9', '10']);
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

test.each(Object.entries(turns))(
  'the readers of a turn have what the conversation has: %s',
  async (_, turn) => {
    const [before = [], ...during] = turn;
    await checkGenerated({ before, during, startsAt: 1 });
    await checkGeneratedAgUi([turn.flat(), before.length]);
  },
);
