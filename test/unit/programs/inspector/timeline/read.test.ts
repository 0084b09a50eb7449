import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../../src/core/base/json.ts';
import { featureNames } from '../../../../../src/core/protocol/feature.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import type { MessageItem } from '../../../../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';
import { maxDepth, shallow } from '../../../../../src/programs/inspector/timeline/shallow.ts';
import { foldTraffic } from '../../../../../src/records/recording/fold-traffic.ts';
import { readRecords } from '../../../../../src/records/recording/playback.ts';

const recordings = new URL('../../../../fixtures/traffic/', import.meta.url);
const names = ['codex-2.6.0.v2', 'codex-2.6.0.v2reload', 'opencode-1.18.33', 'sdk-example-0.12.0'];

/** A recording as the page has it. */
const read = async (...lines: readonly string[]) =>
  new LoadedTimeline('', await readTimeline(lines.join('\n')));

const conversationsAfter = (timeline: LoadedTimeline) =>
  timeline.conversations().map((_, number) => timeline.conversationAt(number, timeline.length));

function sessionNamed({ dir, msg }: MessageItem, by: 'in' | 'out'): readonly unknown[] {
  const params = isJsonObject(msg) ? msg['params'] : undefined;
  return dir === by && isJsonObject(params) ? [params['sessionId']] : [];
}

/** Whether each piece of text of the agent belongs to the message that brought it. Returns how many there are. */
function checkPieces({ rows }: LoadedTimeline): number {
  let checked = 0;
  /** The sessions that the client knows when the agent sends their updates. A fork has no id before its answer. */
  const known = new Set(
    rows.flatMap(({ item }) => (item.type === 'message' ? sessionNamed(item, 'out') : [])),
  );
  for (const { item, changes } of rows) {
    if (item.type !== 'message' || !isJsonObject(item.msg) || !isJsonObject(item.msg['params'])) continue;
    const { update, sessionId } = item.msg['params'];
    if (!known.has(sessionId)) continue;
    if (!isJsonObject(update) || update['sessionUpdate'] !== 'agent_message_chunk') continue;
    const { content } = update;
    if (!isJsonObject(content) || typeof content['text'] !== 'string' || content['text'] === '') continue;
    checked++;
    const patches = changes.map(({ patch }) => patch);
    expect(JSON.stringify(patches)).toContain(JSON.stringify(content['text']).slice(1, -1));
  }
  return checked;
}

test.each(names)(
  'the timeline of %s has the conversations and the diagnostics of the fold, and every message once',
  async (name) => {
    const text = readFileSync(new URL(`${name}.ndjson`, recordings), 'utf8');
    const { sessions, diagnostics } = await foldTraffic(text);
    const timeline = await read(text);
    const items = timeline.rows.map(({ item }) => item);
    expect(sessions.length).toBeGreaterThan(0);
    expect(conversationsAfter(timeline)).toEqual(sessions.map(({ conversation }) => conversation));
    const rules = items.flatMap((item) => (item.type === 'diagnostic' ? [item.rule] : []));
    expect(rules.sort()).toEqual(diagnostics.map(({ rule }) => rule).sort());
    const messages = items.filter((item) => item.type === 'message');
    expect(messages.map(({ dir, t, msg }) => ({ dir, t, msg }))).toEqual(readRecords(text));
    expect(checkPieces(timeline)).toBeGreaterThan(0);
  },
);

test('a long recording is read in steps, and the reader waits after each', async () => {
  const shares: number[] = [];
  const text = `${record('in', 1, {})}\n`.repeat(2000);
  const reading = readTimeline(text, async (share) => {
    shares.push(share);
    if (share > 0) throw new Error('Enough.');
  });
  await expect(reading).rejects.toThrow('Enough.');
  expect(shares).toEqual([0, 0.25]);
});

const record = (dir: 'in' | 'out', t: number, msg: object) =>
  JSON.stringify({ dir, t, msg: { jsonrpc: '2.0', ...msg } });
const initialize = (params: object) => record('out', 2, { id: 0, method: 'initialize', params });
const initialized = (result: object) => record('in', 5, { id: 0, result: { protocolVersion: 1, ...result } });
const ended = (t: number, params: object) => record('in', t, { method: '$/ended', params });

/** The items of a recording, without the features of connections. */
async function readLines(lines: readonly string[]): Promise<readonly object[]> {
  const { rows } = await read(...lines);
  return rows.map(({ item }) => (item.type === 'connection' ? { ...item, features: [] } : item));
}

const connection = {
  type: 'connection',
  t: 5,
  agent: null,
  protocolVersion: 1,
  dialect: 'v1',
  offered: [1],
  how: 'The client offered version 1. The agent answered version 1.',
  features: [],
};

test('a recording is read as its messages, its notes, its connection, and what the fold says', async () => {
  const both = { protocolVersion: 2, clientCapabilities: {}, capabilities: {} };
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hello' } };
  const lines = [
    record('in', 1, { method: '$/stderr', params: { text: 'Starting.\n' } }),
    initialize(both),
    'no record',
    '  ',
    initialized({ agentInfo: { name: 'agent', version: '1' } }),
    record('in', 8, { method: 'session/update', params: { sessionId: 's1', update } }),
    record('in', 8, { method: '$/stderr', params: { text: 'The end.' } }),
    ended(9, {}),
  ];
  const items = await readLines(lines);
  const message = (line: number) => ({ type: 'message', ...JSON.parse(lines[line] ?? '') });
  expect(items).toStrictEqual([
    { type: 'stderr', t: 1, text: 'Starting.\n' },
    message(1),
    {
      type: 'diagnostic',
      t: 2,
      rule: 'transport.noise',
      severity: 'warning',
      message: expect.stringMatching(/^Line 3 is not a record of traffic/),
      received: 'no record',
    },
    message(4),
    {
      ...connection,
      cause: 3,
      agent: { name: 'agent', title: null, version: '1' },
      offered: [2, 1],
      how: 'The client offered versions 2 and 1. The agent answered version 1.',
    },
    message(5),
    { type: 'stderr', t: 8, text: 'The end.' },
    message(7),
    {
      type: 'process',
      t: 9,
      state: 'exited',
      reason: 'The agent closed the connection before the client closed the connection.',
    },
    {
      type: 'diagnostic',
      t: 9,
      rule: 'connection.ended',
      severity: 'warning',
      message: 'The agent closed the connection here, before the client did.',
      cause: 7,
    },
  ]);
});

test.each([
  [
    { protocolVersion: 1 },
    { protocolVersion: 1 },
    [1],
    'The client offered version 1. The agent answered version 1.',
  ],
  [
    { protocolVersion: 2 },
    { protocolVersion: 2, capabilities: { session: { load: {} } } },
    [2],
    'The client offered version 2. The agent answered version 2. capabilities.session has load, which only the earlier draft has.',
  ],
])(
  'a connection has the versions that the client offered, and why one was chosen: %j',
  async (params, result, offered, how) => {
    const items = await readLines([initialize(params), initialized(result)]);
    expect(items.filter((item) => 'how' in item)).toMatchObject([{ offered, how }]);
  },
);

test('a connection has the features of the agent, with what its answer says about each', async () => {
  const timeline = await read(
    initialize({ protocolVersion: 1 }),
    initialized({
      agentInfo: { name: 'a', title: 'Agent', version: '2' },
      agentCapabilities: { loadSession: true },
    }),
  );
  const { agent, features = [] } = timeline.connectionAt(2) ?? {};
  expect(agent).toEqual({ name: 'a', title: 'Agent', version: '2' });
  const rowOf = (name: string) => features.find(({ feature }) => feature === name);
  expect(features.map(({ feature }) => feature)).toEqual(featureNames);
  expect(rowOf('session.load')).toStrictEqual({
    feature: 'session.load',
    supported: true,
    reason: expect.stringContaining('agentCapabilities.loadSession'),
  });
  expect(rowOf('session.close')).toStrictEqual({
    feature: 'session.close',
    supported: false,
    reason: 'The agent did not advertise agentCapabilities.sessionCapabilities.close.',
  });
});

test('what the end of an agent changes belongs to that end', async () => {
  const prompt = { sessionId: 's1', prompt: [{ type: 'text', text: 'Go.' }] };
  const timeline = await read(
    initialize({ protocolVersion: 1 }),
    initialized({}),
    record('out', 6, { id: 1, method: 'session/new', params: { cwd: '/project', mcpServers: [] } }),
    record('in', 7, { id: 1, result: { sessionId: 's1' } }),
    record('out', 8, { id: 2, method: 'session/prompt', params: prompt }),
    ended(9, { exitCode: 3, signal: null }),
  );
  const changed = timeline.rows.flatMap(({ changes }, index) => (changes.length > 0 ? [index] : []));
  // The session, the prompt, and the end of its turn. The item after the last one is that of the process.
  expect(changed).toEqual([4, 5, 6]);
  expect(conversationsAfter(timeline)[0]?.activity).toMatchObject({ state: 'idle' });
});

test('a recording without the answer to initialize is shown, with what is wrong with it', async () => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hello' } };
  const line = record('in', 8, { method: 'session/update', params: { sessionId: 's1', update } });
  expect(await readLines([line])).toStrictEqual([
    { type: 'message', ...JSON.parse(line) },
    {
      type: 'diagnostic',
      t: 8,
      cause: 0,
      rule: 'protocol.dialect',
      severity: 'error',
      message: expect.stringContaining('does not hold the answer to initialize'),
    },
  ]);
});

test('each end of an agent is with its own connection', async () => {
  const run = (exitCode: number) => [
    initialize({ protocolVersion: 1 }),
    initialized({}),
    ended(9, { exitCode, signal: null }),
  ];
  const items = await readLines([...run(3), ...run(4)]);
  const ends = [3, 4].map((exitCode, index) => {
    const first = index * 6;
    const reason = `The agent exited with code ${exitCode} before the client closed the connection.`;
    const message = `The agent exited with code ${exitCode} here, before the client closed the connection.`;
    const notice = { type: 'diagnostic', t: 9, rule: 'connection.ended', severity: 'warning', message };
    return [
      { type: 'message', ...JSON.parse(run(exitCode)[0] ?? '') },
      { type: 'message', ...JSON.parse(run(exitCode)[1] ?? '') },
      { ...connection, cause: first + 1 },
      { type: 'message', ...JSON.parse(run(exitCode)[2] ?? '') },
      { type: 'process', t: 9, state: 'exited', exitCode, signal: null, reason },
      { ...notice, cause: first + 3 },
    ];
  });
  expect(items).toStrictEqual(ends.flat());
});

test('the diagnostics that a recording notes are those of its timeline, with the messages that they name', async () => {
  const note = (params: object) =>
    record('in', 9, {
      method: '$/diagnostic',
      params: { rule: 'later.rule', message: 'What was seen.', ...params },
    });
  const lines = [
    record('in', 1, { method: '$/stderr', params: { text: '' } }),
    initialize({ protocolVersion: 1 }),
    initialized({}),
    note({ severity: 'warning', received: 'text', cause: 2 }),
    note({ severity: 'info', cause: 77 }),
    note({ severity: 'unknown' }),
    ended(10, {}),
  ];
  const shown = { type: 'diagnostic', t: 9, rule: 'later.rule', message: 'What was seen.' };
  expect((await readLines(lines)).slice(4)).toStrictEqual([
    { ...shown, severity: 'warning', received: 'text', cause: 2 },
    { ...shown, severity: 'info' },
    { type: 'message', ...JSON.parse(lines[5] ?? '') },
    { type: 'message', ...JSON.parse(lines[6] ?? '') },
    expect.objectContaining({ type: 'process', state: 'exited' }),
  ]);
});

test('the end of a process that the recording notes is one item', async () => {
  const end = { exitCode: 3, signal: null };
  const started = {
    state: 'starting',
    command: 'agent',
    args: ['--acp'],
    cwd: '/project',
    env: [{ name: 'A', value: 'b' }],
    url: 'ws://127.0.0.1/',
    pid: 7,
  };
  const exited = { state: 'exited', ...end, reason: 'The agent exited with code 3.' };
  const { rows } = await read(
    initialize({ protocolVersion: 1, clientCapabilities: {} }),
    initialized({ agentCapabilities: {} }),
    record('in', 6, { method: '$/process', params: started }),
    record('in', 7, { method: '$/process', params: exited }),
    ended(8, end),
  );
  expect(rows.flatMap(({ item }) => (item.type === 'process' ? [item] : []))).toEqual([
    { type: 'process', t: 6, ...started },
    { type: 'process', t: 7, ...exited },
  ]);
});

const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

test.each([5000, 100_000])('a recording with a message nested %i deep can be shown', async (depth) => {
  const lines = [
    '{"dir":"out","t":0,"msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}}',
    `{"dir":"in","t":1,"msg":{"jsonrpc":"2.0","method":"x","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}}`,
    '{"dir":"in","t":2,"msg":{"jsonrpc":"2.0","method":"after"}}',
  ];
  const text = JSON.stringify(await readTimeline(lines.join('\n')));
  expect(text).toContain('deeper than 500 levels');
  expect(text).toContain('"after"');
});

test('a value of the greatest depth is the same value, and what is deeper is a text', () => {
  const value = { list: nested(maxDepth) };
  expect(shallow(value)).toBe(value);
  const cut = `(deeper than ${maxDepth} levels: not shown)`;
  const list = JSON.stringify(nested(maxDepth - 1)).replace('[]', `[${JSON.stringify(cut)}]`);
  const deeper = { list: nested(maxDepth + 1), no: null, text: 'a', number: 1, empty: [], ['__proto__']: {} };
  expect(shallow(deeper)).toStrictEqual({
    ...{ list: JSON.parse(list), no: null, text: 'a', number: 1, empty: [] },
    ['__proto__']: {},
  });
});

test.each([null, undefined, 'text', 1, true])('%s is not deep', (value) => {
  expect(shallow(value)).toBe(value);
});
