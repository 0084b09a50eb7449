import { expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { panelVersion } from '../../../src/panel/messages.ts';
import { settle } from '../../support/agents.ts';
import { startedHost } from '../../support/panel-pair.ts';
import { firstMessage } from '../../support/raw-page.ts';

/** A host in simulated time. */
async function timedHost() {
  const { served: host, problems } = await startedHost();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  /** Attaches a channel. `early` is what it delivers while the host begins to listen. */
  const attach = (early: readonly unknown[] = [], post = (_: unknown): unknown => undefined) => {
    const received: JsonObject[] = [];
    const calls = { stopped: 0 };
    let send = (_: unknown) => {};
    const detach = host.attach({
      post: (message) => {
        // The host posts objects only.
        received.push(message as JsonObject);
        return post(message);
      },
      listen(listener) {
        send = listener;
        for (const message of early) listener(message);
        return () => {
          if (++calls.stopped > 0 && early.includes('stuck')) throw new Error('It is stuck.');
        };
      },
    });
    /** For whom the host has posted messages since the last time. `null`: for any page. */
    const pages = () => received.splice(0).map(({ page }) => page);
    return { detach, calls, pages, send: (message: unknown) => send(message) };
  };
  return { host, problems, attach, codes: () => problems.map(({ code }) => code) };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const { asked: _, ...head } = firstMessage;
const have = (page: string) => ({ ...head, page, type: 'have' });

test('a host announces itself until a page is heard, which a channel can have delivered before', async () => {
  const { attach } = await timedHost();
  const { pages, send } = attach();
  await pass(3000);
  expect(pages()).toEqual([null, null, null]);
  send(firstMessage);
  await pass(999);
  expect(pages()).toEqual(['p1']);
  expect(attach([firstMessage]).pages()).toEqual(['p1']);
});

test('a host announces itself to a page of another version, and to no other message', async () => {
  const { attach, problems } = await timedHost();
  const { pages, send } = attach([firstMessage]);
  await pass(300);
  pages();
  send('no JSON');
  send({ ...firstMessage, type: 'unknown' });
  expect(pages()).toEqual([]);
  expect(problems.at(-1)?.message).toBe('The message is malformed: check type.');
  send({ ...firstMessage, panel: panelVersion + 1 });
  expect(pages()).toEqual([null]);
});

test('the end of a channel is made once, and an error in it is reported', async () => {
  const { attach, codes, problems } = await timedHost();
  const { detach, calls } = attach();
  detach();
  detach();
  expect([calls.stopped, codes()]).toEqual([1, []]);
  attach(['stuck']).detach();
  expect(codes()).toEqual(['panel.message.unreadable', 'panel.channel']);
  expect(problems[1]?.message).toBe('The channel did not remove its listener: It is stuck.');
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
  const { attach, problems } = await timedHost();
  attach([firstMessage], post).send(firstMessage);
  await pass(60_000);
  expect(problems).toMatchObject([
    { code: 'panel.post', message: 'A message to a page was lost: The webview is gone.' },
  ]);
});

test('twenty faults of the pages of a channel are reported, each once, and no longer than they may be', async () => {
  const { attach, problems } = await timedHost();
  const { send } = attach([firstMessage]);
  const fault = (text: string, detail: string | null) => send({ ...head, type: 'fault', text, detail });
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

test('a page that does not answer six questions is forgotten when its channel has another one', async () => {
  const { attach, codes } = await timedHost();
  const { pages, send } = attach([firstMessage]);
  await pass(120_000);
  // It can be hidden.
  expect(pages().length).toBeGreaterThan(10);
  send(have('p1'));
  await pass(100);
  pages();
  send({ ...firstMessage, page: 'p2' });
  const asked: unknown[] = [];
  for (let seconds = 0; seconds < 120; seconds++) {
    send(have('p2'));
    await pass(1000);
    asked.push(...pages().filter((page) => page === 'p1'));
  }
  expect(asked).toHaveLength(7);
  expect(codes()).toEqual([]);
  send(have('p1'));
  await settle();
  expect(codes()).toEqual(['panel.hello']);
});
