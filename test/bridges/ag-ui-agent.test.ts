import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type AbstractAgent, HttpAgent, type Interrupt, type Message } from '@ag-ui/client';
import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/core/base/wait.ts';
import { noAnswer } from '../../src/records/testing/scripted-agent.ts';
import { acpAgent } from '../../src/ui/ag-ui/agent.ts';
import { toAgUiMessages } from '../../src/ui/ag-ui/messages.ts';
import { type AgUiResponseOptions, agUiResponse } from '../../src/ui/ag-ui/response.ts';
import { answering, asking, asks, type Run, says, subagentAsking } from '../support/asking-agent.ts';
import {
  type ChatPlace,
  chatPlaceNames,
  openChatPlace,
  openChatSession,
  serveChat,
} from '../support/chat-places.ts';
import { eventually } from '../support/eventually.ts';
import { plain } from '../support/ui-messages.ts';

// By its address: the compiler does not read the examples, which are JavaScript.
const { agUiHandler } = await import(
  new URL('../../docs/examples/bridges/ag-ui-handler.mjs', import.meta.url).href
);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

interface Place extends ChatPlace {
  readonly agent: AbstractAgent;
}

/** An interface reaches the session through an agent of AG-UI in its process, or over HTTP. */
async function openPlace(name: string, { agent }: Run): Promise<Place> {
  const place = await openChatPlace(name, agent);
  if (!place.isServed) return { ...place, agent: acpAgent(place.session, { HttpAgent }) };
  const url = await serveChat(agUiHandler(place.session, agUiResponse));
  return { ...place, agent: new HttpAgent({ url, threadId: 's1' }) };
}

/** The messages of the agent. The prompt has the id that the interface gave it. */
const answers = (messages: readonly Message[]) => plain(messages.filter(({ role }) => role !== 'user'));

describe.each(chatPlaceNames)('an agent of AG-UI %s', (name) => {
  const open = (run: Run) => openPlace(name, run);

  /** An agent that has asked for a permission. */
  async function asked(run = asking()) {
    const place = await open(run);
    place.agent.addMessage({ id: 'u1', role: 'user', content: 'Delete it.' });
    await place.agent.runAgent();
    const [interrupt] = place.agent.pendingInterrupts;
    return { ...place, run, interrupt: interrupt as Interrupt };
  }

  const resume = (agent: AbstractAgent, { id }: Interrupt, payload: unknown) =>
    agent.runAgent({ resume: [{ interruptId: id, status: 'resolved', payload }] });

  test.each([
    [true, 'yes'],
    [false, 'no'],
    [{ approved: true }, 'yes'],
    [{ approved: false }, 'no'],
    ['yes-always', 'yes-always'],
    [{ optionId: 'no-always' }, 'no-always'],
  ])(
    'takes the answer %j as the option %s, has the messages of the conversation, and asks in the next turn',
    async (payload, optionId) => {
      const { agent, interrupt, run, conversation } = await asked();
      await resume(agent, interrupt, payload);
      expect(run.outcomes).toEqual([{ outcome: 'selected', optionId }]);
      expect(agent.pendingInterrupts).toEqual([]);
      expect(answers(agent.messages)).toEqual(answers(toAgUiMessages(conversation())));
      expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: `Answered ${optionId}.` });
      agent.addMessage({ id: 'u2', role: 'user', content: 'Delete another one.' });
      await agent.runAgent();
      expect(agent.pendingInterrupts).toHaveLength(1);
    },
  );

  test('refuses a message while a request is open, and then goes on with the turn, also if it asks again', async () => {
    const run = asking();
    run.agent.on('session/prompt', async (_, by) => {
      run.outcomes.push(await asks(by, 't1'), ...(await Promise.all([asks(by, 't1'), asks(by, 't2')])));
      return { stopReason: 'end_turn' };
    });
    const { agent, conversation } = await asked(run);
    // Another reader of the same run, which does not know of the request.
    const other: AbstractAgent = agent.clone();
    other.pendingInterrupts = [];
    other.addMessage({ id: 'u2', role: 'user', content: 'Hello?' });
    const errors: unknown[] = [];
    await other
      .runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event.message) })
      .catch(() => {});
    expect(errors).toEqual([expect.stringContaining('waits for an answer')]);
    await saidMeanwhile({ run, conversation });
    while (agent.pendingInterrupts.length > 0) {
      const answer = ({ id }: Interrupt) => ({ interruptId: id, status: 'resolved', payload: true }) as const;
      await agent.runAgent({ resume: agent.pendingInterrupts.map(answer) });
    }
    expect(run.outcomes).toHaveLength(3);
    expect(answers(agent.messages)).toEqual(answers(toAgUiMessages(conversation())));
    expect(run.agent.calls('session/prompt')).toHaveLength(1);
  });

  /** What the agent says while its request waits. */
  async function saidMeanwhile({ run, conversation }: Pick<Place, 'conversation'> & { run: Run }) {
    run.agent.update('s1', says('I search. '));
    await eventually(() => JSON.stringify(conversation())).toContain('I search.');
  }

  /** The agent asks nothing in later turns. */
  function answersAtOnce({ agent }: Run) {
    agent.on('session/prompt', (_, by) => {
      by.update('s1', says('Done.'));
      return { stopReason: 'end_turn' };
    });
  }

  /** The page is loaded anew, and asks what runs. */
  async function reloaded({ agent }: Place, messages: Message[]) {
    const page: AbstractAgent = agent.clone();
    page.pendingInterrupts = [];
    page.setMessages(messages);
    await page.runAgent();
    return page;
  }

  test.each(['before', 'after'])(
    'shows a page that is loaded anew %s the agent says more all, once, also in the last moment of the turn',
    async (time) => {
      const place = await asked();
      await resume(place.agent, place.interrupt, true);
      place.agent.addMessage({ id: 'u2', role: 'user', content: 'Delete another one.' });
      await place.agent.runAgent();
      const earlier = toAgUiMessages(place.conversation());
      await saidMeanwhile(place);
      const page = await reloaded(place, time === 'before' ? earlier : toAgUiMessages(place.conversation()));
      expect(plain(page.messages)).toEqual(plain(toAgUiMessages(place.conversation())));
      const snapshots: unknown[] = [];
      page.subscribe({ onMessagesSnapshotEvent: ({ event }) => void snapshots.push(event) });
      await resume(page, page.pendingInterrupts[0] as Interrupt, { optionId: 'yes' });
      expect(snapshots).toEqual([]);
      expect(answers(page.messages)).toEqual(answers(toAgUiMessages(place.conversation())));
      const late = await reloaded(place, plain(earlier));
      // AG-UI's reader keeps activities where they are, and puts new messages behind them.
      const byId = (all: readonly Message[]) =>
        plain(all).sort((a: Message, b: Message) => (a.id < b.id ? -1 : 1));
      expect(byId(late.messages)).toEqual(byId(toAgUiMessages(place.conversation())));
      expect(late.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'I search. Answered yes.' });
    },
  );

  test('shows the end of a cancelled turn with the next message', async () => {
    const { agent, run, session, conversation } = await asked();
    await session.cancel();
    await eventually(() => conversation().activity.state).toBe('idle');
    answersAtOnce(run);
    agent.pendingInterrupts = [];
    for (const id of ['u2', 'u3', 'u4']) {
      agent.addMessage({ id, role: 'user', content: 'Delete it now.' });
      await agent.runAgent();
      expect(answers(agent.messages)).toEqual(answers(toAgUiMessages(conversation())));
      expect(agent.messages.filter(({ role }) => role === 'user').at(-1)?.id).toBe(id);
    }
    expect(run.agent.calls('session/prompt')).toHaveLength(4);
  });

  test('answers the next message also if a cancelled turn ends late', async () => {
    const end = deferred();
    const run = asking();
    run.agent.on('session/prompt', async (_, by) => {
      if (run.outcomes.length > 0) {
        by.update('s1', says('Done.'));
        return { stopReason: 'end_turn' };
      }
      run.outcomes.push(await asks(by, 't1'));
      await end.promise;
      return { stopReason: 'cancelled' };
    });
    const { agent, session } = await asked(run);
    await session.cancel();
    await eventually(() => run.outcomes).toHaveLength(1);
    agent.pendingInterrupts = [];
    agent.addMessage({ id: 'u2', role: 'user', content: 'Go on.' });
    await agent.runAgent({}, { onRunStartedEvent: () => end.resolve() });
    expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Done.' });
  });

  test('says why a turn failed, and sends its message again', async () => {
    const agent = answering(() => {
      throw new Error('The model is overloaded.');
    });
    const place = await open({ agent, outcomes: [] });
    place.agent.addMessage({ id: 'u1', role: 'user', content: 'Go on.' });
    const errors: unknown[] = [];
    place.agent.subscribe({ onRunErrorEvent: ({ event }) => void errors.push(event.message) });
    for (const count of [1, 2]) {
      await place.agent.runAgent().catch(() => {});
      expect(agent.calls('session/prompt')).toHaveLength(count);
      expect(errors).toEqual(Array(count).fill(expect.stringContaining('The model is overloaded.')));
    }
  });

  test('shows the request of a subagent', async () => {
    const { agent, interrupt, run } = await asked(subagentAsking());
    expect(interrupt).toMatchObject({ message: 'Delete', metadata: { subagent: 'Search' } });
    expect(interrupt).not.toHaveProperty('toolCallId');
    await resume(agent, interrupt, true);
    expect(run.outcomes).toEqual([{ outcome: 'selected', optionId: 'yes' }]);
  });

  test('sends a message that comes together with an answer', async () => {
    const { agent, interrupt, run, conversation } = await asked();
    answersAtOnce(run);
    agent.addMessage({ id: 'u2', role: 'user', content: 'Leave it.' });
    await agent.runAgent({ resume: [{ interruptId: interrupt.id, status: 'cancelled' }] });
    expect(run.outcomes).toEqual([{ outcome: 'cancelled' }]);
    expect(run.agent.calls('session/prompt')).toHaveLength(2);
    expect(answers(agent.messages)).toEqual(answers(toAgUiMessages(conversation())));
  });

  test('sends a message once, also if its page asks again before the agent answers', async () => {
    const agent = answering(() => noAnswer);
    const place = await open({ agent, outcomes: [] });
    place.agent.addMessage({ id: 'u1', role: 'user', content: 'Go on.' });
    const again: AbstractAgent = place.agent.clone();
    const first = place.agent.runAgent();
    const { id } = await agent.called('session/prompt');
    await eventually(() => place.conversation().activity.state).not.toBe('idle');
    const begun = deferred();
    const second = again.runAgent({}, { onRunStartedEvent: () => begun.resolve() });
    await begun.promise;
    const third = reloaded(place, toAgUiMessages(place.conversation()));
    await place.session.cancel();
    await agent.called('session/cancel');
    agent.answer(id as number, { stopReason: 'cancelled' });
    await Promise.all([first, second, third]);
    expect(agent.calls('session/prompt')).toHaveLength(1);
  });

  test('sends a message once, also if its page asks again, or answers again, after its turn was cancelled', async () => {
    const { agent, run, session, conversation, interrupt } = await asked();
    agent.pendingInterrupts = [];
    await agent.runAgent();
    expect(agent.pendingInterrupts).toEqual([interrupt]);
    const ids = agent.messages.filter(({ role }) => role === 'user').map(({ id }) => id);
    expect(ids).toEqual(['u1']);
    await session.cancel();
    await eventually(() => conversation().activity.state).toBe('idle');
    await eventually(() => run.outcomes).toEqual([{ outcome: 'cancelled' }]);
    const errors: unknown[] = [];
    agent.subscribe({ onRunErrorEvent: ({ event }) => void errors.push(event.message) });
    for (const pending of [[], [interrupt]]) {
      agent.pendingInterrupts = pending;
      agent.setMessages([{ id: 'u1', role: 'user', content: 'Delete it.' }]);
      if (pending.length > 0) await resume(agent, interrupt, true);
      else await agent.runAgent();
    }
    expect([run.agent.calls('session/prompt').length, run.outcomes.length, errors]).toEqual([1, 1, []]);
  });

  test('stops a turn, also after the request of its run is garbage, and then answers the next message', async () => {
    const [cancelled, heard] = [deferred(), deferred()];
    const agent = answering(async (_, by) => {
      by.update('s1', says('I begin.'));
      if (agent.calls('session/prompt').length > 1) return { stopReason: 'end_turn' };
      await cancelled.promise;
      by.update('s1', says(' I stop.'));
      await heard.promise;
      by.update('s1', says(' I stopped.'));
      return { stopReason: 'cancelled' };
    }).on('session/cancel', () => cancelled.resolve());
    const place = await open({ agent, outcomes: [] });
    place.agent.addMessage({ id: 'u1', role: 'user', content: 'Go on.' });
    const outcomes: unknown[] = [];
    const left = place.agent
      .runAgent({}, { onRunFinishedEvent: ({ event }) => void outcomes.push(event.outcome) })
      .catch(() => {});
    await eventually(() => place.agent.messages.at(-1)?.content).toBe('I begin.');
    collectGarbage();
    // Node tells a request that its signal was aborted, if it still has the request.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    place.agent.abortRun();
    await eventually(() => JSON.stringify(place.conversation())).toContain('I stop.');
    heard.resolve();
    await left;
    // A reader that leaves over HTTP does not get the end.
    expect(outcomes).toEqual(place.isServed ? [] : [{ type: 'cancelled' }]);
    await eventually(() => place.conversation().activity.state).toBe('idle');
    place.agent.addMessage({ id: 'u2', role: 'user', content: 'Again.' });
    await place.agent.runAgent();
    expect(place.agent.messages.slice(-2)).toMatchObject([{ id: 'u2' }, { content: 'I begin.' }]);
  });
});

/** A run that the reader has a part of, and that ends when it is told to. */
async function begunRun(options: AgUiResponseOptions) {
  const go = deferred();
  const agent = answering(async (_, by) => {
    by.update('s1', says('I begin.'));
    await go.promise;
    by.update('s1', says(' I end.'));
    return { stopReason: 'end_turn' };
  });
  const session = await openChatSession(agent);
  const messages = [{ id: 'u', role: 'user', content: 'Go on.' }];
  const body = JSON.stringify({ threadId: 't', runId: 'r', messages });
  const request = new Request('http://localhost/', { method: 'POST', body });
  const { body: stream } = await agUiResponse(session, request, options);
  const reader = (stream as ReadableStream<Uint8Array>).getReader();
  const read = async () => Buffer.from((await reader.read()).value ?? []).toString();
  while (!(await read()).includes('TEXT_MESSAGE_START'));
  const end = async () => {
    go.resolve();
    await eventually(() => session.conversation.activity.state).toBe('idle');
  };
  return { agent, reader, read, end };
}

test('a reader that is slow gets all of a turn', async () => {
  const { read, end } = await begunRun({});
  await end();
  let told = '';
  for (let next = await read(); next !== ''; next = await read()) told += next;
  expect(told).toMatch(/I begin\..* I end\..*RUN_FINISHED/s);
});

test.each([
  ['cancel', 1],
  ['continue', 0],
] as const)('a reader that leaves, by the option %s, cancels %d turns', async (onLeave, count) => {
  const { agent, reader, end } = await begunRun({ onLeave });
  await reader.cancel();
  await end();
  expect(agent.calls('session/cancel')).toHaveLength(count);
});
