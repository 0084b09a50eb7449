import { expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import type { PanelChannel } from '../../../src/ui/panel/channel.ts';
import { panelVersion } from '../../../src/ui/panel/messages.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { startedHost } from '../../support/panel-pair.ts';
import { firstMessage } from '../../support/raw-page.ts';
import { stopClock } from '../../support/timed-acp-server.ts';
import { says } from '../../support/updates.ts';

/** What a page says of itself in a message. */
interface Ends {
  readonly have?: number;
  readonly drawn?: number;
  readonly sent?: number;
  readonly run?: string | null;
  readonly page?: string;
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
  stopClock();
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
    ask: (ends?: Ends) => say({ type: 'ask' }, ends),
    hello: (ends?: Ends) => say({ type: 'hello', asked: ++asked }, ends),
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
      return received.splice(0).filter(({ page }) => page !== null);
    },
  };
}

/** Enough for an answer and a frame, and less than the time after which the host asks. */
const shortMs = 300;

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

test('a page gets everything when it asks for it, also in place of a page before it', async () => {
  const { hello, acknowledge, call, within, problems } = await hostOfTest();
  const whole = { type: 'change', base: 0, conversation: null, results: [] };
  expect(await within(shortMs)).toMatchObject([{ ...whole, number: 1, answers: 1, page: 'p1', state: {} }]);
  // The change on its way was lost. It is not sent again without being asked for.
  expect(await within(1000)).toMatchObject([{ type: 'ask', sent: 1 }]);
  hello({ have: 0 });
  expect(await within(shortMs)).toMatchObject([{ ...whole, number: 2, answers: 2 }]);
  acknowledge({ have: 1 });
  acknowledge({ have: 2, run: 'another' });
  expect(await within(shortMs)).toMatchObject([{ type: 'ask', sent: 2 }]);
  acknowledge({ have: 2 });
  expect(await within(60_000)).toEqual([]);
  hello({ page: 'p2', run: null, have: 0 });
  expect(await within(shortMs)).toMatchObject([{ ...whole, number: 3, page: 'p2' }]);
  call(1, 'newSession', {}, { have: 2 });
  expect(await within(shortMs)).toMatchObject([{ type: 'ask', sent: 3, page: 'p2' }]);
  expect(problems).toMatchObject([{ code: 'panel.hello' }]);
});

test('a call is done once, in its order, and not when it comes late', async () => {
  const { acknowledge, ask, hello, call, agent, within, problems } = await hostOfTest();
  await within(shortMs);
  acknowledge();
  call(1, 'newSession', {}, { run: 'another' });
  await within(shortMs);
  expect(agent.calls('session/new')).toHaveLength(0);
  call(2, 'newSession', {});
  call(2, 'newSession', {});
  call(1, 'newSession', {});
  const unsent = { code: 'panel.unsent', message: expect.stringContaining('did not arrive') };
  expect(await within(shortMs)).toMatchObject([{ base: 1, results: [{ number: 1, error: unsent }] }]);
  acknowledge({ have: 2, sent: 2 });
  expect(await within(shortMs)).toMatchObject([
    { base: 2, state: { sessionId: 's1' }, results: [{ number: 2, error: null }] },
  ]);
  expect(agent.calls('session/new')).toHaveLength(1);
  // The page asks for a call that is missing. Its result was lost with the change, and is sent again.
  ask({ have: 3, sent: 3 });
  const result = { results: [{ number: 3, error: unsent }] };
  expect(await within(shortMs)).toMatchObject([{ base: 3, ...result }, { type: 'ask' }]);
  hello({ have: 0, sent: 3 });
  expect(await within(shortMs)).toMatchObject([{ base: 0, ...result }]);
  expect(problems).toMatchObject([{ code: 'panel.hello' }, unsent, unsent]);
});

test('the conversation of another session is sent as a whole', async () => {
  const { call, within, number } = await withSession();
  call(2, 'newSession', {}, { have: number });
  expect((await within(shortMs)).at(-1)).toMatchObject({ conversation: { isWhole: true } });
});

test('after the end of the host nothing is sent', async () => {
  const { served, ask, agent, within } = await withSession();
  await served.close();
  await within(shortMs);
  agent.update('s1', says('Late.', 'm1'));
  ask();
  expect(await within(60_000)).toEqual([]);
});

test('the last state of a host follows the last change, and settles the open call', async () => {
  const { served, call, within } = await hostOfTest((agent) => agent.on('session/new', () => noAnswer));
  await within(shortMs);
  call(1, 'newSession', {}, { have: 0 });
  await within(shortMs);
  await served.close();
  const results = [{ number: 1, error: { code: 'connection.closed' } }];
  expect(await within(shortMs)).toMatchObject([{ number: 2, base: 1, state: { phase: 'closed' }, results }]);
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

/** Attaches a channel to a host. `early` is what it delivers while the host begins to listen. */
async function attached(early: readonly unknown[], post = (_: unknown): unknown => undefined) {
  const { served, problems } = await startedHost();
  stopClock();
  const received: JsonObject[] = [];
  let stopped = 0;
  let send = (_: unknown) => {};
  const detach = served.attach({
    post: (message) => {
      // The host posts objects only.
      received.push(message as JsonObject);
      return post(message);
    },
    listen(listener) {
      send = listener;
      for (const message of early) listener(message);
      return () => {
        if (++stopped > 0 && early.includes('stuck')) throw new Error('It is stuck.');
      };
    },
  });
  /** For whom the host has posted messages since the last time. `null`: for any page. */
  const pages = () => received.splice(0).map(({ page }) => page);
  return { problems, detach, pages, stopped: () => stopped, send: (message: unknown) => send(message) };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a host announces itself until a page is heard', async () => {
  const { pages, send } = await attached([]);
  await pass(3000);
  expect(pages()).toEqual([null, null, null]);
  send(firstMessage);
  await pass(999);
  expect(pages()).toEqual(['p1']);
});

test('a host hears a page while it begins to listen, tells one of another version, and answers no other message that it cannot read', async () => {
  const { problems, pages, send } = await attached([firstMessage]);
  expect(pages()).toEqual(['p1']);
  await pass(300);
  pages();
  send('no JSON');
  send({ ...firstMessage, type: 'unknown' });
  expect(pages()).toEqual([]);
  expect(problems.at(-1)?.message).toBe('The message is malformed: check type.');
  send({ ...firstMessage, panel: panelVersion - 1 });
  expect(pages()).toEqual(['p1']);
});

test('the end of a channel is made once, and an error in it is reported', async () => {
  const { detach, stopped, problems } = await attached([firstMessage, 'stuck']);
  detach();
  detach();
  expect(stopped()).toBe(1);
  expect(problems).toMatchObject([
    { code: 'panel.message.unreadable' },
    { code: 'panel.channel', message: 'The channel of a page failed: It is stuck.' },
  ]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('The webview is gone.');
    },
  ],
  ['rejects', () => Promise.reject(new Error('The webview is gone.'))],
])('a channel that %s is reported once', async (_, post) => {
  const { problems, send } = await attached([firstMessage], post);
  send(firstMessage);
  await pass(60_000);
  expect(problems).toMatchObject([
    { code: 'panel.channel', message: 'The channel of a page failed: The webview is gone.' },
  ]);
});

test('twenty faults of the pages of a channel are reported, each once, and no longer than they may be', async () => {
  const { say, problems } = await hostOfTest();
  const fault = (text: string, detail: string | null) => say({ type: 'fault', text, detail });
  fault('x'.repeat(2000), 'y'.repeat(9000));
  fault('x'.repeat(3000), null);
  for (let count = 1; count <= 25; count++) fault(`fault ${count}`, count === 1 ? null : 'at page.js');
  expect(problems).toHaveLength(20);
  const [long, first, second] = problems;
  expect(long?.message).toBe(`A listener of the page failed: ${'x'.repeat(1000)}`);
  expect(long?.detail).toBe('y'.repeat(8000));
  expect(first).toMatchObject({ code: 'panel.page', detail: null });
  expect(second).toMatchObject({ message: 'A listener of the page failed: fault 2', detail: 'at page.js' });
});
