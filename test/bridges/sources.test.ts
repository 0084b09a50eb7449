import { HttpAgent, type UserMessage } from '@ag-ui/client';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PromptResult } from '../../src/core/client/session/turn.ts';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import type { Conversation, ConversationEntry } from '../../src/core/model/conversation.ts';
import type { ConversationEvent } from '../../src/core/model/event.ts';
import { acpAgent } from '../../src/ui/ag-ui/agent.ts';
import { runFailed, runFinished } from '../../src/ui/ag-ui/events.ts';
import { FollowedTurn } from '../../src/ui/ag-ui/followed-turn.ts';
import { interruptOf } from '../../src/ui/ag-ui/interrupts.ts';
import { toAgUiMessages } from '../../src/ui/ag-ui/messages.ts';
import { promptOf } from '../../src/ui/ag-ui/prompt.ts';
import { agUiResponse } from '../../src/ui/ag-ui/response.ts';
import { answerStream, toUIMessageStream } from '../../src/ui/ai-sdk/answer-stream.ts';
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
import { answering, asking, permissionOptions as options } from '../support/asking-agent.ts';
import { openChatPanel, openChatSession } from '../support/chat-places.ts';
import { eventually } from '../support/eventually.ts';
import { emptyConversation, foldUpdates } from '../support/fold-any.ts';
import { checkGenerated, generatedTurn, playTurn } from '../support/generated-turns.ts';
import { goldenValues } from '../support/golden-sections.ts';
import { elicit, panelPair } from '../support/panel-pair.ts';
import { said } from '../support/recorded-stores.ts';
import { runs } from '../support/runs.ts';
import { EXAMPLE, text } from '../unit/render/example.ts';

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
    // The second one comes too late.
    for (const optionId of [null, 'yes']) await source.answer(id, optionId);
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
  ['tool#2:a tool:b', 'tool#2:a tool:b'],
])('the tool call of the entry %j has the id %j', (key, id) => {
  expect(callIdOf(key)).toBe(id);
});

const run = { threadId: 't', runId: 'r' };
const call = (fields: object): AnyUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 't',
  ...fields,
});

type Turn = readonly (readonly AnyUpdate[])[];

/** A reader that is busy after a few lines, until the end of the turn. */
async function busyLinesOf(stream: AsyncIterable<object>, ended: Promise<unknown>) {
  const lines: object[] = [];
  for await (const line of stream) if (lines.push(line) === 5) await ended;
  return lines;
}

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
    await playTurn(turn, busyLinesOf),
    await playTurn({ ...turn, startsAt: 2 }, linesOf),
    await playTurn({ ...turn, startsAt: during.length }, linesOf),
    ...(await agUiEvents(updates, before.length + 1)),
  ];
}

/** What was made, or why not. */
function orError(make: () => unknown) {
  try {
    return make();
  } catch (error) {
    return String(error);
  }
}

const errors = [new Error('No.'), Object.assign(new Error('No.'), { code: 5 }), { code: 5 }];

/** What the bridges make of what a section of the golden file begins with. The other sections are turns. */
const makers = {
  messages: (all: readonly ConversationEntry[][]) =>
    all
      .map((entries) => ({ ...emptyConversation('s'), entries }))
      .flatMap((shown) => [toUIMessages(shown), toAgUiMessages(shown)]),
  'prompts of AI SDK': (all: readonly AcpPart[][]) =>
    all.map((parts) => orError(() => promptContent({ id: 'u', role: 'user', parts }))),
  'prompts of AG-UI': (all: readonly UserMessage['content'][]) =>
    all.map((content) => orError(() => promptOf({ id: 'u', role: 'user', content }))),
  'ends of AI SDK': async (all: readonly { readonly stopReason: string | null }[]) => {
    const source = chatSource((await panelPair({})).panel);
    const soon = new Promise((resolve) => setImmediate(resolve));
    const ended = [...all.map((end) => soon.then(() => end)), soon.then(() => Promise.reject(errors[0]))];
    const none = { source, key: () => undefined, approvalId: () => undefined };
    return (await Promise.all(ended.map((end) => linesOf(answerStream({ ...none, ended: end }))))).flat();
  },
  'ends of AG-UI': (all: readonly (PromptResult | null)[]) => [
    ...all.map((result) => runFinished(run, result ?? undefined)),
    ...errors.map(runFailed),
  ],
  questions: async (questions: readonly ChatQuestion[]) => {
    const asked = { before: [], startsAt: 0, questions, begun: 'answer:b' };
    return [
      ...questions.map(interruptOf),
      ...(await playTurn({ ...asked, during: [[call({})], [said('agent', 'I wait.', 'a')]] }, linesOf)),
      ...(await playTurn({ ...asked, during: [] }, linesOf)),
    ];
  },
  'events of a turn': (all: readonly ConversationEvent[]) => eventsOf(each(all)),
  'updates of an agent': async (all: readonly object[]) => {
    const told: unknown[] = [];
    for (const end of [() => ({ stopReason: 'end_turn' }), () => Promise.reject(errors[0])]) {
      const agent = answering((_, by) => {
        by.update('s1', ...all);
        return end();
      });
      const session = await openChatSession(agent);
      told.push(...(await eventsOf(session.prompt('Go on.'))));
      told.push((await linesOf(toUIMessageStream(session.prompt('Go on.')))).at(-1));
      const body = JSON.stringify({ ...run, messages: [{ id: 'u', role: 'user', content: 'Again.' }] });
      const request = new Request('http://localhost/', { method: 'POST', body });
      const response = await agUiResponse(session, request);
      told.push([...response.headers], ...(await response.text()).split('\n\n'));
    }
    return told;
  },
};

/** The sections of the golden file. A line that begins with `>` is given. What the bridges make of it follows. */
const given = new Map(goldenValues(new URL('golden/everything.txt', import.meta.url)));

/** Updates before a turn, and those of the turn that arrive together. */
const turns = [...given].filter(([name]) => !(name in makers));

test('what the bridges make of turns, prompts, questions and ends is what the golden file says', async () => {
  const told: string[] = [];
  const tell = (name: string, made: readonly string[]) => {
    const values = (given.get(name) ?? []).map((value) => `> ${JSON.stringify(value)}`);
    told.push(`# ${name}`, ...values, ...made);
  };
  for (const [name, make] of Object.entries(makers)) {
    const made: readonly unknown[] = await make(given.get(name) ?? []);
    tell(
      name,
      made.map((one) => JSON.stringify(one)),
    );
  }
  for (const [name, turn] of turns) {
    const streams = (await sentOf(turn)).map((sent) =>
      sent.map((one) => `${JSON.stringify(one)}\n`).join(''),
    );
    tell(name, [...new Set(streams)]);
  }
  // The id of a request is random.
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
