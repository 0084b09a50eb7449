import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isJsonObject } from '../../../../../src/core/base/json.ts';
import { featureNames } from '../../../../../src/core/protocol/feature.ts';
import { LoadedTimeline } from '../../../../../src/programs/inspector/page/loaded-timeline.ts';
import { actionsOf } from '../../../../../src/programs/inspector/page/turns.ts';
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

/** What took time in a recording. */
function actionsIn(timeline: LoadedTimeline) {
  const { times } = timeline;
  return actionsOf(timeline).map(({ kind, title, first, last, outcome }) => ({
    ...{ kind, title, outcome },
    took: last === null ? null : (times[last] ?? 0) - (times[first] ?? 0),
  }));
}

/** A recording has features of its own for each connection: the next test has them. */
const itemsIn = ({ rows }: LoadedTimeline) =>
  rows.map(({ item }) => (item.type === 'connection' ? { ...item, features: [] } : item));

// A line that begins with `>` is given. The items of the recording follow, or what took time in it.
test('the items and the actions of recordings are what the golden file says', async () => {
  const file = 'golden/recordings.txt';
  const sections = readFileSync(new URL(file, import.meta.url), 'utf8').split(/^(?=# )/m);
  const told = sections.map(async (section) => {
    const [name = '', ...given] = section.split('\n').filter((line) => /^[#>] /.test(line));
    const timeline = await read(...given.map((line) => line.slice(2)));
    const made = name.startsWith('# actions') ? actionsIn(timeline) : itemsIn(timeline);
    const lines = made.map((each) =>
      JSON.stringify(each, (_, value) => (value === undefined ? '(undefined)' : value)),
    );
    return [name, ...given, ...lines, ''].join('\n');
  });
  await expect((await Promise.all(told)).join('')).toMatchFileSnapshot(file);
});

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
