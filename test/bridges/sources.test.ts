import { readFileSync } from 'node:fs';
import { type ContentPart, HttpAgent } from '@ag-ui/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { Conversation } from '../../src/core/model/conversation.ts';
import type { ConversationEvent } from '../../src/core/model/event.ts';
import { acpAgent } from '../../src/ui/ag-ui/agent.ts';
import { runFailed, runFinished } from '../../src/ui/ag-ui/events.ts';
import { FollowedTurn } from '../../src/ui/ag-ui/followed-turn.ts';
import { interruptOf } from '../../src/ui/ag-ui/interrupts.ts';
import { promptOf } from '../../src/ui/ag-ui/prompt.ts';
import { agUiResponse } from '../../src/ui/ag-ui/response.ts';
import { answerStream } from '../../src/ui/ai-sdk/answer-stream.ts';
import { chatTransport } from '../../src/ui/ai-sdk/chat-transport.ts';
import type { AcpPart } from '../../src/ui/ai-sdk/message-type.ts';
import { toUIMessages } from '../../src/ui/ai-sdk/messages.ts';
import { promptContent } from '../../src/ui/ai-sdk/prompt-content.ts';
import { askInChat, type ChatQuestion } from '../../src/ui/bridges/ask-in-chat.ts';
import { choicesOf } from '../../src/ui/bridges/chat-answers.ts';
import { type ChatSource, chatSource, followTurn } from '../../src/ui/bridges/chat-source.ts';
import { eventsBetween } from '../../src/ui/bridges/conversation-events.ts';
import { createCredit } from '../../src/ui/bridges/credit.ts';
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

test.each([
  ['none of its entries', []],
  ['its entries in another order', EXAMPLE.entries.toReversed()],
])('a conversation that has %s is another one for a page', (_, entries) => {
  const after = { ...EXAMPLE, entries };
  expect(eventsBetween(EXAMPLE, after)).toEqual([{ type: 'reset', conversation: after }]);
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

test.each([
  ['tool:a', 'a'],
  ['tool:a tool:b', 'a tool:b'],
  ['tool#2:a tool:b', 'tool#2:a tool:b'],
])('the tool call of the entry %j has the id %j', (key, id) => {
  expect(callIdOf(key)).toBe(id);
});

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

type Turn = readonly (readonly AnyUpdate[])[];

/**
 * The turns of the golden file. A line that begins with `>` has updates that arrive together: the first one those before
 * the turn. The lines after them are what the bridges send.
 */
const turns = readFileSync(new URL('golden/everything.txt', import.meta.url), 'utf8')
  .split(/^# /m)
  .map((told): [string, Turn] => {
    const [name = '', ...lines] = told.split('\n');
    return [name, lines.filter((line) => line.startsWith('> ')).map((line) => JSON.parse(line.slice(2)))];
  })
  .filter(([, turn]) => turn.length > 0);

const x = { type: 'terminal', terminalId: 'x' } as const;
const call = (fields: object): AnyUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 't',
  ...fields,
});

/** What a turn can tell beside the updates of a conversation. The rest of an event is not read. */
const others = [
  { type: 'text', key: 'agent:a', text: 'I begin.' },
  { type: 'toolCall', toolCall: toolCall({ status: 'pending', permission: null, content: [x] }) },
  ...['', 'a'].map((printed) => ({ type: 'terminalOutput', terminalId: 'x', text: printed })),
  { type: 'terminal', terminal: terminal({ terminalId: 'x', output: 'b' }) },
  ...['', 'c'].map((printed) => ({ type: 'terminalOutput', terminalId: 'x', text: printed })),
  { type: 'permission', permission: { ...request, title: 'May I?' }, toolCall: null },
  { type: 'notice', notice: { severity: 'info', title: 'Tea' } },
  { type: 'reset', conversation: conversation({ entries: [message('agent', text('One.'))] }) },
  { type: 'text', key: 'agent', text: ' More.' },
] as readonly object[] as readonly ConversationEvent[];

/** A command that prints, as an agent of version 1 shows it. */
const building = [
  {
    ...{ sessionUpdate: 'tool_call', toolCallId: 't', title: 'Build', content: [x] },
    _meta: { terminal_info: { terminal_id: 'x' } },
  },
  ...['a', 'b'].map((data) => {
    const _meta = { terminal_output: { terminal_id: 'x', data } };
    return { sessionUpdate: 'tool_call_update', toolCallId: 't', _meta };
  }),
];

async function linesOf(stream: AsyncIterable<object>) {
  const lines: object[] = [];
  for await (const line of stream) lines.push(line);
  return lines;
}

/** All that both bridges send of a turn: to a reader that is there, a busy one, one that comes later, and one after the turn. */
async function sentOf([before = [], ...during]: Turn) {
  const turn = { before, during, startsAt: 0 };
  const prompted: AnyUpdate = {
    sessionUpdate: 'prompt_submitted',
    key: 'prompt:9',
    content: [text('Begin.')],
  };
  const updates = [...before, prompted, ...during.flat()];
  return [
    await playTurn(turn, linesOf),
    await playTurn(turn, (stream, ended) => ended.then(() => linesOf(stream))),
    await playTurn({ ...turn, startsAt: 2 }, linesOf),
    await playTurn({ ...turn, startsAt: during.length }, linesOf),
    ...(await agUiEvents(updates, before.length + 1)),
  ];
}

test('a conversation, a prompt, a request, an end of each kind and turns are what the golden file says', async () => {
  const question = { id: 'q', toolCallKey: null, title: null, description: null, options, subagent: null };
  const asked = [question, { ...question, id: 'r', toolCallKey: 'tool:t', subagent: 'Search' }];
  const shown = {
    messages: [[], [message('user', text('Hi'))], [message('agent', text('Hi'))]].map((entries) =>
      toUIMessages(conversation({ entries })),
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
    interrupts: [...asked, { ...question, title: 'Delete', description: 'All of it' }].map(interruptOf),
  };
  // The id of a request is random.
  const told = [JSON.stringify(shown, null, 2)];
  for (const [name, turn] of turns) {
    told.push(`# ${name}`, ...turn.map((updates) => `> ${JSON.stringify(updates)}`));
    const streams = (await sentOf(turn)).map((sent) => sent.map((one) => `${JSON.stringify(one)}\n`).join(''));
    told.push(...new Set(streams));
  }
  expect(() => promptContent({ id: 'u', role: 'user', parts: [] })).toThrow('The message is empty.');
  const kept = (fields: object) => () =>
    promptOf({
      id: 'u',
      role: 'user',
      content: [{ type: 'image', source: { type: 'file', value: '/a', ...fields } }],
    });
  expect(kept({ provider: 'a cloud' })).toThrow('The image in the message is a file of a cloud (/a), which');
  expect(kept({})).toThrow('The image in the message is a file of a provider (/a), which');
  const working = { before: [], during: [[call({})], [said('agent', 'I wait.', 'a')]], startsAt: 0 };
  const idle = chatSource((await panelPair({})).panel);
  const none = { source: idle, key: () => undefined, approvalId: () => undefined };
  const chunks: (readonly unknown[])[] = [
    await playTurn({ ...working, questions: asked, begun: 'answer:b' }, linesOf),
    await playTurn({ ...working, during: [], questions: asked, begun: 'answer:b' }, linesOf),
    ...(await Promise.all(
      stopReasons.map((stopReason) =>
        linesOf(answerStream({ ...none, ended: Promise.resolve({ stopReason }) })),
      ),
    )),
    await linesOf(answerStream({ ...none, ended: Promise.reject(errors[0]) })),
  ];
  for (const answer of [() => ({ stopReason: 'end_turn' }), () => Promise.reject(errors[0])]) {
    const agent = answering((_, by) => {
      by.update('s1', says('I try.'), ...building);
      return answer();
    });
    const session = await openChatSession(agent);
    chunks.push(await eventsOf(session.prompt('Go on.')));
    const body = JSON.stringify({ ...run, messages: [{ id: 'u', role: 'user', content: 'Again.' }] });
    const response = await agUiResponse(session, new Request('http://localhost/', { method: 'POST', body }));
    chunks.push([...response.headers, ...(await response.text()).split('\n\n')]);
  }
  told.push('# questions and ends', ...chunks.flat().map((one) => JSON.stringify(one)));
  told.push('# others', ...(await eventsOf(each(others))).map((one) => JSON.stringify(one)));
  const lines = told.join('\n').replaceAll(/permission-\d+/g, 'permission-0');
  await expect(`${lines}\n`).toMatchFileSnapshot('golden/everything.txt');
});

test('a stream repeats only what its credit covers: a change waits until more was received', async () => {
  const content = [{ type: 'content', content: text('x'.repeat(40_000)) }];
  const titles = (...all: readonly string[]) => all.map((title) => [call({ title })]);
  const during = [
    [call({ content })],
    ...titles('1', '2', '3', '4', '5', '6', '7', '8'),
    [said('agent', 'x'.repeat(30_000), 'a')],
    ...titles('9', '10'),
  ];
  const turn = { before: [], during, startsAt: 0 };
  await checkGenerated(turn);
  const lines = await playTurn(turn, linesOf);
  const shown = lines.flatMap((line) => ('title' in line ? [line.title] : []));
  expect(shown).toEqual(['other', '1', '2', '3', '4', '8', '9', '10']);
});

test('a page that has the end of a turn before its last words shows them', async () => {
  let shown: Conversation | null = null;
  let tell = () => {};
  const source: ChatSource = {
    ...chatSource((await panelPair({})).panel),
    conversation: () => shown,
    subscribe(listener) {
      tell = () => listener();
      return () => {};
    },
  };
  const turn = new FollowedTurn(source, []).endsWith(Promise.resolve({ stopReason: 'end_turn' }));
  const show = (before: Conversation, ...updates: readonly AnyUpdate[]) => {
    shown = foldUpdates(before, updates);
    tell();
    return shown;
  };
  const running = show(emptyConversation('s'), { sessionUpdate: 'state_update', state: 'running' });
  const told = linesOf(turn.run(run));
  await new Promise((resolve) => setImmediate(resolve));
  show(running, said('agent', 'I end.'), { sessionUpdate: 'state_update', state: 'idle' });
  expect(await told).toContainEqual(expect.objectContaining({ delta: 'I end.' }));
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

test.each(turns)('the readers of a turn have what the conversation has: %s', async (_, turn) => {
  const [before = [], ...during] = turn;
  await checkGenerated({ before, during, startsAt: 1 });
  await checkGeneratedAgUi([turn.flat(), before.length]);
});
