import { expect, onTestFinished, test } from 'vitest';
import { maxPages, serveInspector } from '../../../../../src/programs/inspector/server/serve.ts';
import { GrowingTimeline } from '../../../../../src/programs/inspector/timeline/growing.ts';
import { eventually } from '../../../../support/eventually.ts';
import { cwd, openInspector } from '../../../../support/inspector-target.ts';
import { firstMessage } from '../../../../support/raw-page.ts';

const page = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:"><p>';
const stderr = (t: number) => ({ type: 'stderr', t, text: `line ${t}` }) as const;

/** The inspector of recordings: nothing answers. */
async function openRecordings(...timelines: readonly GrowingTimeline[]) {
  const refused: string[] = [];
  const inspector = await serveInspector({ page, timelines, onRefused: (reason) => refused.push(reason) });
  onTestFinished(() => inspector.close());
  const { origin, hash } = new URL(inspector.url);
  const headers = { authorization: `Bearer ${hash.slice('#token='.length)}` };
  const ask = (path: string, init: RequestInit = {}) => fetch(origin + path, { headers, ...init });
  return { ...inspector, refused, ask };
}

const complete = (title: string, ...times: readonly number[]) =>
  new GrowingTimeline(
    title,
    times.map((t) => ({ item: stderr(t) })),
    'complete',
  );

test('the page has its policy in a header too, and no page may frame it', async () => {
  const { ask } = await openRecordings(complete('a'));
  const answer = await ask('/', { headers: {} });
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toBe(
    "default-src 'none'; img-src data:; frame-ancestors 'none'",
  );
  expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin');
  expect(await answer.text()).toBe(page);
});

test('a page without a policy is not served', async () => {
  await expect(serveInspector({ page: '<p>', timelines: [] })).rejects.toThrow('no content security policy');
});

test('recordings are shown, and nothing can be done', async () => {
  const { ask, refused } = await openRecordings(complete('a', 1, 2), complete('b', 3));
  const about = await ask('/about');
  expect(about.headers.get('content-type')).toBe('application/json');
  expect(await about.json()).toEqual({
    timelines: [
      { title: 'a', live: false, lines: 2 },
      { title: 'b', live: false, lines: 1 },
    ],
    methods: null,
  });
  for (const [path, method] of [
    ['/panel', 'GET'],
    ['/panel', 'POST'],
    ['/call', 'POST'],
  ] as const) {
    const answer = await ask(path, { method });
    expect([answer.status, await answer.json()]).toEqual([404, { error: { message: 'There is no agent.' } }]);
    expect(answer.headers.get('connection')).toBe('close');
  }
  expect(refused).toEqual(Array.from({ length: 3 }, () => 'There is no agent.'));
});

test.each([
  ['/items', [1, 2]],
  ['/items?from=0', [1, 2]],
  ['/items?from=1', [2]],
  ['/items?from=2', []],
  ['/items?from=999999999', []],
  ['/items?timeline=0&from=1', [2]],
  ['/items?timeline=1&from=0', [3]],
])('%s has the lines of a timeline from a place on', async (path, times) => {
  const { ask } = await openRecordings(complete('a', 1, 2), complete('b', 3));
  const answer = await ask(path);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  expect(await answer.text()).toBe(times.map((t) => `${JSON.stringify({ item: stderr(t) })}\n`).join(''));
});

test('a place of more than nine digits is refused, and so is a third timeline', async () => {
  const { ask } = await openRecordings(complete('a'), complete('b'), complete('c'));
  for (const path of ['/items?from=1234567890', '/items?timeline=2&from=0', '/items?from=0&timeline=0'])
    expect((await ask(path)).status).toBe(404);
});

test('the stream of a live timeline goes on, and ends with the inspector', async () => {
  const timeline = new GrowingTimeline('live', [{ item: stderr(1) }], 'live');
  const { ask, close } = await openRecordings(timeline);
  expect(await (await ask('/about')).json()).toMatchObject({ timelines: [{ live: true, lines: 1 }] });
  const answer = await ask('/items?from=1');
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (const t of [2, 3]) {
    const read = reader?.read();
    timeline.add(stderr(t));
    expect(await read).toEqual({ done: false, value: `${JSON.stringify({ item: stderr(t) })}\n` });
  }
  timeline.addChanges(0, []);
  expect(timeline.lines).toHaveLength(3);
  const rest = reader?.read();
  await close();
  await expect(rest).rejects.toThrow();
});

test('a port that is given is used, and one that is taken is an error', async () => {
  const { url } = await openRecordings(complete('a'));
  const port = Number(new URL(url).port);
  await expect(serveInspector({ page, timelines: [], port })).rejects.toThrow('EADDRINUSE');
});

test('a page sends when it has its stream, and there is room for a number of pages', async () => {
  const opened = await openInspector();
  const page = (number: number) => ({
    authorization: `Bearer ${opened.token}`,
    'x-panel-page': `p${number}`,
  });
  const ask = (number: number, init: RequestInit = {}) =>
    fetch(`http://${opened.host}/panel`, { ...init, headers: { ...page(number), ...init.headers } });
  const post = (number: number) =>
    ask(number, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(firstMessage),
    });
  expect([(await post(1)).status, (await ask(1)).status, (await post(1)).status]).toEqual([400, 200, 200]);
  for (let number = 2; number <= maxPages; number++) expect((await ask(number)).status).toBe(200);
  const refused = await ask(maxPages + 1);
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { error: { message: `More than ${maxPages} pages are open.` } },
  ]);
});

test('a request by hand ends with the page that made it', async () => {
  const opened = await openInspector((agent) => agent.on('_slow', () => new Promise(() => {})));
  const controller = new AbortController();
  const answer = fetch(`http://${opened.host}/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${opened.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ method: '_slow', params: { cwd } }),
    signal: controller.signal,
  });
  await eventually(() => opened.agent.calls('_slow')).toHaveLength(1);
  controller.abort();
  await expect(answer).rejects.toThrow();
  await eventually(() => opened.agent.calls('$/cancel_request')).toHaveLength(1);
});

test('a page with the token is refused when more connections are open than a browser needs', async () => {
  const timeline = new GrowingTimeline('live', [], 'live');
  const { ask, refused } = await openRecordings(timeline);
  const streams = await Promise.all(Array.from({ length: 32 }, () => ask('/items?from=0')));
  const answer = await ask('/about');
  expect(answer.status).toBe(429);
  expect(refused).toEqual(['More than 32 connections are open.']);
  await Promise.all(streams.map(({ body }) => body?.cancel()));
  await eventually(async () => (await ask('/about')).status).toBe(200);
});
