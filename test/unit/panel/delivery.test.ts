import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { PanelChannel } from '../../../src/panel/channel.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { askPermission, startedHost } from '../../support/panel-pair.ts';
import { firstMessage } from '../../support/raw-page.ts';

/** What a page says of itself in a message. */
interface Ends {
  readonly have?: number;
  readonly drawn?: number;
  readonly sent?: number;
  readonly run?: string | null;
}

/** A host whose page is the test, in simulated time: nothing is acknowledged that the test does not acknowledge. */
async function hostOfTest(script: (agent: ScriptedAgent) => unknown = () => {}) {
  const listeners = new Set<(message: unknown) => void>();
  const received: JsonObject[] = [];
  const channel: PanelChannel = {
    post: (message) => void received.push(structuredClone(message) as JsonObject),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener) && undefined;
    },
  };
  const { served, agents, problems } = await startedHost({ script }, channel);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const post = (message: object) => {
    for (const listener of listeners) listener(message);
  };
  post(firstMessage);
  const run = String(received.at(-1)?.['run']);
  const { asked: _, ...head } = firstMessage;
  const say = (body: object, { have = 1, drawn = have, sent = 0, ...other }: Ends = {}) =>
    post({ ...head, run, have, drawn, sent, ...other, ...body });
  let asked = 1;
  return {
    served,
    problems,
    agent: agents[0] as ScriptedAgent,
    run,
    ask: (ends?: Ends) => say({ type: 'ask', asked: ++asked }, ends),
    acknowledge: (ends?: Ends) => say({ type: 'have' }, ends),
    call: (number: number, action: string, params: object, ends?: Ends) =>
      say({ type: 'call', number, action, params }, { sent: number, ...ends }),
    say,
    /** What the host posts within a time, with all that happens at once before. */
    async within(ms: number) {
      await settle();
      await vi.advanceTimersByTimeAsync(ms);
      await settle();
      // A message for no page announces the host.
      return received.splice(0).filter(({ page }) => page === firstMessage.page);
    },
  };
}

/** Enough for an answer and a frame, and less than the time after which the host asks. */
const shortMs = 300;

const chunk = (words: string) => ({
  sessionUpdate: 'agent_message_chunk',
  messageId: 'm1',
  content: text(words),
});

/** A page that has drawn a session, which is its third change at most. */
async function withSession() {
  const host = await hostOfTest();
  await host.within(shortMs);
  host.acknowledge();
  host.call(1, 'newSession', {});
  for (let isOver = false; !isOver; ) {
    const posted = await host.within(shortMs);
    const have = Math.max(0, ...posted.map(({ number = 0 }) => Number(number)));
    if (have > 0) host.acknowledge({ have, sent: 1 });
    isOver = posted.length === 0;
  }
  host.ask({ have: 99, sent: 1 });
  const number = Number((await host.within(shortMs)).at(-1)?.['sent']);
  return { ...host, number };
}

test('a page gets everything when it knows no host, and when it has lost what it had', async () => {
  const { ask, within } = await hostOfTest();
  const whole = { type: 'change', base: 0, conversation: null, results: [] };
  expect(await within(shortMs)).toMatchObject([{ ...whole, number: 1, answers: 1, page: 'p1', state: {} }]);
  ask({ have: 0 });
  expect(await within(shortMs)).toMatchObject([{ ...whole, number: 2, answers: 2 }]);
  ask({ have: 2, run: 'another' });
  expect(await within(shortMs)).toMatchObject([{ ...whole, number: 3, answers: 3 }]);
  ask({ have: 3 });
  expect(await within(shortMs)).toMatchObject([{ type: 'have', have: 0, sent: 3, page: 'p1' }]);
});

test('a change is sent again until it is acknowledged, and nothing beside it', async () => {
  const { ask, acknowledge, within } = await hostOfTest();
  const [first] = await within(shortMs);
  acknowledge({ have: 1, run: 'another' });
  // The host asks after a second.
  expect(await within(1000)).toMatchObject([{ type: 'ask', have: 0, sent: 1, page: 'p1' }]);
  ask({ have: 7 });
  expect(await within(shortMs)).toEqual([first]);
  acknowledge({ have: 1 });
  expect(await within(60_000)).toEqual([]);
});

test('a call is done once, in its order, and only by the host for which it is', async () => {
  const { acknowledge, ask, call, agent, within } = await hostOfTest();
  await within(shortMs);
  acknowledge();
  call(2, 'newSession', {});
  expect(await within(shortMs)).toMatchObject([{ type: 'ask', have: 0 }]);
  call(1, 'newSession', {}, { run: 'another' });
  await within(shortMs);
  expect(agent.calls('session/new')).toHaveLength(0);
  call(1, 'newSession', {});
  call(1, 'newSession', {});
  const [change] = await within(shortMs);
  expect(change).toMatchObject({ base: 1, have: 1, state: { sessionId: 's1' } });
  expect(agent.calls('session/new')).toHaveLength(1);
  // The page had said that it has sent two.
  ask({ have: 2, sent: 1 });
  expect(await within(shortMs)).toMatchObject([{ type: 'ask', have: 1 }]);
  call(2, 'dismissProblem', {}, { have: 2 });
  const [result] = await within(shortMs);
  expect(result).toMatchObject({ have: 2, results: [{ number: 2, error: null }] });
  ask({ have: 3, sent: 2 });
  expect(await within(shortMs)).toMatchObject([{ type: 'have', have: 2 }]);
});

test('a malformed call takes its number, and no other one', async () => {
  const { acknowledge, call, say, within, problems } = await hostOfTest();
  await within(shortMs);
  acknowledge();
  const malformed = (number: number, ends?: Ends) =>
    say({ type: 'call', number, action: 7, params: {} }, ends);
  malformed(2);
  malformed(1, { run: 'another' });
  expect(await within(shortMs)).toEqual([]);
  malformed(1);
  const error = { code: 'panel.refused' };
  expect(await within(shortMs)).toMatchObject([{ have: 1, results: [{ number: 1, error }] }]);
  malformed(1);
  expect(await within(shortMs)).toEqual([]);
  call(2, 'openSession', { sessionId: 'unknown' }, { have: 2 });
  expect(await within(shortMs)).toMatchObject([{ have: 2, results: [{ number: 2, error }] }]);
  expect(problems).toMatchObject([error, error]);
});

test('a call that is missing is refused when the page has asked for it eight times', async () => {
  const { acknowledge, ask, call, within } = await hostOfTest();
  await within(shortMs);
  acknowledge();
  let have = 1;
  /** What becomes of the calls, and how many the host has then. */
  const askFor = async (sent: number, times: number) => {
    const results: unknown[] = [];
    for (let count = 0; count < times; count++) {
      ask({ have, sent });
      const changes = (await within(shortMs)).filter(({ type }) => type === 'change');
      have += changes.length;
      results.push(...changes.flatMap((change) => change['results']));
    }
    return results;
  };
  expect(await askFor(1, 7)).toEqual([]);
  call(1, 'dismissProblem', {}, { have });
  expect(await askFor(2, 7)).toMatchObject([{ number: 1, error: null }]);
  const unsent = { code: 'panel.unsent', message: expect.stringContaining('did not arrive') };
  expect(await askFor(2, 1)).toMatchObject([{ number: 2, error: unsent }]);
  expect(await askFor(3, 7)).toEqual([]);
  expect(await askFor(3, 1)).toMatchObject([{ number: 3, error: unsent }]);
});

test('results that come while a change is on its way are sent when it is acknowledged', async () => {
  const { acknowledge, call, within } = await hostOfTest();
  await within(shortMs);
  call(1, 'dismissProblem', {}, { have: 0 });
  expect(await within(shortMs)).toEqual([]);
  acknowledge({ have: 1, drawn: 0, sent: 1 });
  const { 0: change, length } = await within(0);
  expect([length, change]).toMatchObject([1, { number: 2, base: 1, state: null, results: [{ number: 1 }] }]);
  acknowledge({ have: 2, drawn: 0, sent: 1 });
  expect(await within(shortMs)).toEqual([]);
});

test('a change waits until the last one is drawn, unless it is urgent', async () => {
  const { agent, acknowledge, within, number } = await withSession();
  agent.update('s1', chunk('One. '));
  const next = number + 1;
  expect(await within(shortMs)).toMatchObject([
    { number: next, state: null, conversation: { isWhole: false } },
  ]);
  acknowledge({ have: next, drawn: number, sent: 1 });
  agent.update('s1', chunk('Two. '));
  expect(await within(shortMs)).toEqual([]);
  void askPermission(agent, 't1');
  const [asked] = await within(shortMs);
  expect(asked).toMatchObject({ number: next + 1, state: { questions: [{ title: 't1' }] } });
  // More than was sent cannot be drawn.
  acknowledge({ have: next + 1, drawn: 999, sent: 1 });
  expect(await within(shortMs)).toEqual([]);
  agent.update('s1', chunk('Three. '));
  const [third, ...others] = await within(shortMs);
  expect([third, others]).toMatchObject([{ number: next + 2, state: null }, []]);
  // Only what is new.
  expect(JSON.stringify(third)).not.toContain('One. ');
  acknowledge({ have: next + 2, drawn: next + 1, sent: 1 });
  agent.update('s1', chunk('Four.'));
  expect(await within(shortMs)).toEqual([]);
  acknowledge({ have: next + 2, drawn: next + 2, sent: 1 });
  expect(await within(shortMs)).toMatchObject([{ number: next + 3 }]);
});

test('a page that has not drawn is asked only while something waits for it', async () => {
  const { agent, acknowledge, within, number } = await withSession();
  agent.update('s1', chunk('One. '));
  await within(shortMs);
  acknowledge({ have: number + 1, drawn: number, sent: 1 });
  expect(await within(60_000)).toEqual([]);
  agent.update('s1', chunk('Two. '));
  expect(await within(1500)).toMatchObject([{ type: 'ask' }]);
  acknowledge({ have: number + 1, sent: 1 });
  expect(await within(shortMs)).toMatchObject([{ number: number + 2 }]);
  // That an earlier one is drawn says nothing of this one.
  acknowledge({ have: number + 1, sent: 1 });
  expect(await within(1500)).toMatchObject([{ type: 'ask' }]);
  acknowledge({ have: number + 2, sent: 1 });
  // It was sent before, and came late.
  acknowledge({ have: number + 2, drawn: number, sent: 1 });
  agent.update('s1', chunk('Three.'));
  expect(await within(shortMs)).toMatchObject([{ number: number + 3 }]);
});

test('what is drawn before a change that is on its way does not end the questions for it', async () => {
  const { acknowledge, call, within } = await hostOfTest();
  await within(shortMs);
  acknowledge({ drawn: 0 });
  call(1, 'newSession', {}, { drawn: 0 });
  expect(await within(shortMs)).toMatchObject([{ number: 2 }]);
  acknowledge({ have: 1, drawn: 1, sent: 1 });
  expect(await within(1500)).toMatchObject([{ type: 'ask', sent: 2 }]);
});

test('a question is sent once, and the conversation of another session as a whole', async () => {
  const { agent, acknowledge, call, within, number } = await withSession();
  void askPermission(agent, 't1');
  const [first] = await within(shortMs);
  expect(first).toMatchObject({ state: { questions: [{ title: 't1' }] } });
  acknowledge({ have: number + 1, sent: 1 });
  void askPermission(agent, 't2');
  const [second] = await within(shortMs);
  const id: unknown = Reflect.get(Object(first?.['state']), 'questions')[0].id;
  expect(second).toMatchObject({ state: { questions: [id, { title: 't2' }] } });
  call(2, 'newSession', {}, { have: number + 2 });
  const [other] = await within(shortMs);
  expect(other).toMatchObject({ conversation: { sessionId: 's2', isWhole: true }, state: { questions: [] } });
});

test('a fault of a page is reported, and after the end of the host nothing is sent', async () => {
  const { served, say, ask, agent, problems, within } = await withSession();
  say({ type: 'fault', text: 'It broke.', detail: null });
  expect(problems).toMatchObject([{ code: 'panel.page' }]);
  await served.close();
  await within(shortMs);
  agent.update('s1', chunk('Late.'));
  ask();
  expect(await within(60_000)).toEqual([]);
});

test.each([
  ['builds on the last change, which the page has', true],
  ['is whole for a page that may lack the last change', false],
])('the last state of a host %s, and settles the open call', async (_, hasLast) => {
  const { served, call, within } = await hostOfTest((agent) => agent.on('session/new', () => noAnswer));
  await within(shortMs);
  call(1, 'newSession', {}, { have: hasLast ? 1 : 0 });
  await within(shortMs);
  await served.close();
  expect(await within(shortMs)).toMatchObject([
    {
      number: 2,
      base: hasLast ? 1 : 0,
      state: { phase: 'closed' },
      results: [{ number: 1, error: { code: 'connection.closed' } }],
    },
  ]);
});

test('a page that is detached while another one gets a change gets none', async () => {
  const { served } = await startedHost();
  const { asked: _, ...head } = firstMessage;
  /** Attaches a page that has drawn its first change. `taken` is called with each later message. */
  const attach = (taken: () => void) => {
    let send = (_: object) => {};
    const posted: JsonObject[] = [];
    const post = (message: unknown) => {
      if (posted.push(message as JsonObject) > 2) taken();
    };
    const detach = served.attach({
      post,
      listen: (listener) => {
        send = listener;
        return () => {};
      },
    });
    send(firstMessage);
    const ends = { ...head, run: posted.at(-1)?.['run'], have: 1, drawn: 1 };
    send({ ...ends, type: 'have' });
    const write = (words: string) => send({ ...ends, sent: 1, type: 'draft', number: 1, text: words });
    return { posted, detach, write };
  };
  const first = attach(() => second.detach());
  const second = attach(() => {});
  expect([first.posted, second.posted]).toMatchObject([{ length: 2 }, { length: 2 }]);
  attach(() => {}).write('A draft that all pages get.');
  await eventually(() => first.posted.length).toBeGreaterThan(2);
  await settle();
  expect(second.posted).toHaveLength(2);
});
