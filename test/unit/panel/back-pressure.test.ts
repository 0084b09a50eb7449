import { expect, onTestFinished, test, vi } from 'vitest';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { connectPanel, type Panel } from '../../../src/ui/panel/connect.ts';
import { text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { askPermission, type ChannelPair, channelPair, startedHost } from '../../support/panel-pair.ts';
import { callOfPage, firstMessage } from '../../support/raw-page.ts';

type Message = Record<string, unknown>;

/** How long a frame of the simulated browser takes, in milliseconds. */
const frameMs = 16;

const changesOf = ({ fromHost }: ChannelPair) => fromHost.filter(({ type }) => type === 'change');

const lengthOf = (messages: readonly Message[]) => JSON.stringify(messages).length;

/** Lets simulated time pass. What a timer sends arrives before the next step. */
async function pass(ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 4) {
    await vi.advanceTimersByTimeAsync(4);
    for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
  }
}

/** The frames of a browser. They stop while the page is hidden. */
function frames() {
  let waiting: (() => void)[] = [];
  let isHidden = false;
  const timer = setInterval(() => {
    if (isHidden) return;
    const tasks = waiting;
    waiting = [];
    for (const task of tasks) task();
  }, frameMs);
  Reflect.set(globalThis, 'requestAnimationFrame', (task: () => void) => waiting.push(task));
  onTestFinished(() => {
    clearInterval(timer);
    Reflect.deleteProperty(globalThis, 'requestAnimationFrame');
  });
  return (hidden: boolean) => {
    isHidden = hidden;
  };
}

/** What the agent has said, as a page has it. */
function saidIn(panel: Panel): string {
  const { entries = [] } = panel.getSnapshot().conversation ?? {};
  const [block] = entries.flatMap((each) =>
    each.kind === 'message' && each.role === 'agent' ? each.content : [],
  );
  return block?.type === 'text' ? String(Reflect.get(block, 'text')) : '';
}

/** A host whose agent runs a turn that the first page began, in simulated time. */
async function running() {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
  });
  onTestFinished(() => void vi.useRealTimers());
  const { served, agents } = await startedHost({ answers: { 'session/prompt': noAnswer } });
  const [agent] = agents;
  if (!agent) throw new Error('no agent was started');
  const attach = (wrap: (channel: ChannelPair) => ChannelPair['page'] = ({ page }) => page) => {
    const channel = channelPair();
    served.attach(channel.host);
    const panel = connectPanel(wrap(channel));
    onTestFinished(() => panel.close());
    return { panel, channel };
  };
  const setHidden = frames();
  const page = attach();
  const turn = page.panel.prompt('Go.');
  turn.catch(() => {});
  await pass(200);
  expect(page.panel.getSnapshot().conversation?.activity.state).toBe('running');
  return {
    ...page,
    served,
    agent,
    turn,
    attach,
    setHidden,
    /** The agent says a text, in parts with pauses. */
    async say(words: string, times: number, pauseMs: number) {
      for (let count = 0; count < times; count++) {
        agent.update('s1', { sessionUpdate: 'agent_message_chunk', messageId: 'm1', content: text(words) });
        await pass(pauseMs);
      }
    },
  };
}

/** A listener that keeps its page busy: the clock goes on while it runs, and no timer fires. */
function slowListener(panel: Panel, ms: number) {
  const calls: number[] = [];
  let behindMs = 0;
  const { now } = performance;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + behindMs);
  onTestFinished(() => clock.mockRestore());
  panel.subscribe(() => {
    calls.push(performance.now());
    behindMs += ms;
  });
  return calls;
}

test('a page that draws slowly has one change in flight, and time for input', async () => {
  const { panel, channel, say } = await running();
  const drawingMs = 100;
  let inFlight = 0;
  const calls = slowListener(panel, drawingMs);
  panel.subscribe(() => {
    const last = changesOf(channel).at(-1);
    const drawn = Math.max(...channel.fromPage.map((message) => Number(message['drawn'])));
    inFlight = Math.max(inFlight, Number(last?.['number']) - drawn);
  });
  const before = changesOf(channel).length;
  const words = 'x'.repeat(100);
  await say(words, 300, 8);
  const sent = changesOf(channel).slice(before);
  expect(sent.length).toBeGreaterThan(5);
  expect(inFlight).toBe(1);
  for (const [index, time] of calls.entries()) {
    // The drawing, and as long again for the user.
    if (index > 0) expect(time - (calls[index - 1] ?? 0)).toBeGreaterThanOrEqual(2 * drawingMs);
  }
  await pass(1000);
  expect(saidIn(panel)).toBe(words.repeat(300));
});

test('a page is called at most once in a frame, and gets what is new once', async () => {
  const { panel, channel, say } = await running();
  const calls: number[] = [];
  panel.subscribe(() => calls.push(performance.now()));
  const before = changesOf(channel).length;
  const words = 'x'.repeat(100);
  await say(words, 100, 4);
  await pass(200);
  expect(saidIn(panel)).toBe(words.repeat(100));
  for (const [index, time] of calls.entries()) {
    if (index > 0) expect(time - (calls[index - 1] ?? 0)).toBeGreaterThanOrEqual(frameMs);
  }
  const sent = changesOf(channel).slice(before);
  // What was said, and for each change what every message has.
  expect(lengthOf(sent)).toBeLessThan(words.length * 100 + sent.length * 1000);
  await pass(60_000);
  expect(changesOf(channel).slice(before)).toEqual(sent);
});

test('a page that is hidden gets one change of a long answer, and everything when it is visible again', async () => {
  const { panel, channel, say, setHidden } = await running();
  setHidden(true);
  const [posted, changes] = [channel.fromHost.length, changesOf(channel).length];
  let calls = 0;
  panel.subscribe(() => calls++);
  await say('word ', 400, 20);
  expect(changesOf(channel).length - changes).toBe(1);
  const small = channel.fromHost.slice(posted).filter(({ type }) => type !== 'change');
  // The host asks after one second, two and four. So does the page, whose action is open, and the host answers.
  expect(small.length).toBeLessThanOrEqual(3 + 4);
  expect(calls).toBe(1);
  setHidden(false);
  await pass(200);
  expect(saidIn(panel)).toBe('word '.repeat(400));
});

test('a page that is hidden gets the results of its actions and the questions of the agent', async () => {
  const { panel, agent, say, turn, setHidden } = await running();
  setHidden(true);
  await say('word ', 20, 20);
  void askPermission(agent, 'Run');
  await pass(100);
  const [question] = panel.getSnapshot().questions;
  expect(question).toMatchObject({ title: 'Run' });
  const answered = panel.answer(question?.id ?? '', { optionId: 'yes' });
  await pass(100);
  await answered;
  expect(panel.getSnapshot().questions).toEqual([]);
  await say('more ', 20, 20);
  agent.answer(agent.calls('session/prompt')[0]?.id ?? 0, { stopReason: 'end_turn' });
  await pass(100);
  await expect(turn).resolves.toEqual({ stopReason: 'end_turn' });
  expect(saidIn(panel)).toBe('word '.repeat(20) + 'more '.repeat(20));
});

test('a question reaches a page that draws slowly before it has drawn', async () => {
  const { panel, agent, say } = await running();
  const calls = slowListener(panel, 900);
  await say('word ', 10, 8);
  expect(calls.length).toBeGreaterThan(0);
  void askPermission(agent, 'Run');
  await pass(100);
  expect(panel.getSnapshot().questions).toHaveLength(1);
});

test('a page that is frozen gets one change, and does not slow another page down', async () => {
  const { panel, attach, say } = await running();
  let isFrozen = false;
  const late: unknown[] = [];
  let deliver = (_: unknown) => {};
  const frozen = attach(({ page }) => ({
    ...page,
    listen(listener) {
      deliver = listener;
      return page.listen((message) => {
        if (isFrozen) late.push(message);
        else listener(message);
      });
    },
  }));
  await pass(200);
  expect(frozen.panel.getSnapshot().phase).toBe('open');
  isFrozen = true;
  const before = changesOf(frozen.channel).length;
  for (let count = 1; count <= 50; count++) {
    await say('word ', 1, 60);
    expect(saidIn(panel)).toBe('word '.repeat(count));
  }
  expect(changesOf(frozen.channel).length - before).toBe(1);
  isFrozen = false;
  for (const message of late) deliver(message);
  await pass(12_000);
  expect(saidIn(frozen.panel)).toBe('word '.repeat(50));
});

test('a page whose word that it has drawn is lost goes on', async () => {
  const { served, say } = await running();
  const channel = channelPair();
  served.attach(channel.host);
  let isLost = false;
  const panel = connectPanel({
    ...channel.page,
    post: (message) => {
      if (!isLost) channel.page.post(message);
    },
  });
  onTestFinished(() => panel.close());
  await pass(200);
  await say('word ', 1, 8);
  // The change is taken, and the next word of the page says that it is drawn.
  while (saidIn(panel) === '') await pass(4);
  isLost = true;
  await pass(100);
  isLost = false;
  await say('word ', 5, 8);
  await pass(12_000);
  expect(saidIn(panel)).toBe('word '.repeat(6));
});

test('a page that acknowledges no result gets a thousand, and its next call is not performed', async () => {
  const { host, page, fromHost } = channelPair();
  await startedHost({ options: { limits: { openCalls: 1 } } }, host);
  page.post(firstMessage);
  await eventually(() => fromHost.some(({ type }) => type === 'change')).toBe(true);
  const received = JSON.stringify(fromHost);
  const call = (number: number, have: number) => {
    const message = callOfPage(received, number, 'dismissProblem', {});
    page.post({ ...message, have, drawn: have, sent: number });
  };
  for (let number = 1; number <= 1001; number++) call(number, 0);
  const results = () => fromHost.flatMap((message) => (message['results'] as object[] | undefined) ?? []);
  call(1001, 1);
  await eventually(() => results().length).toBeGreaterThanOrEqual(1000);
  call(1002, 2);
  const unsent = { number: 1001, error: { code: 'panel.unsent' } };
  await eventually(() => results().at(-1)).toMatchObject(unsent);
});
