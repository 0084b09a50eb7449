import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connect } from '../../../../../src/agents/connect.ts';
import { serveDemoAgent } from '../../../../../src/programs/demo/agent.ts';
import { dialects } from '../../../../../src/programs/demo/dialect.ts';
import { memoryStore } from '../../../../../src/programs/demo/store.ts';
import { clientScript } from '../../../../../src/programs/inspector/save/client-script.ts';
import { htmlText } from '../../../../../src/programs/inspector/save/html.ts';
import { recordingText } from '../../../../../src/programs/inspector/save/recording.ts';
import { testText } from '../../../../../src/programs/inspector/save/test.ts';
import type { TimelineItem } from '../../../../../src/programs/inspector/timeline/items.ts';
import { readTimeline } from '../../../../../src/programs/inspector/timeline/read.ts';
import { foldTraffic } from '../../../../../src/recording/fold-traffic.ts';
import { playback } from '../../../../../src/recording/playback.ts';
import { recordTraffic } from '../../../../../src/recording/record-traffic.ts';
import { transcriptOf } from '../../../../../src/recording/transcript-of.ts';
import { memoryTransport } from '../../../../../src/transport/memory/memory-transport.ts';
import { dialectNames } from '../../../../support/agents.ts';

const recordings = new URL('../../../../fixtures/traffic/', import.meta.url);
const names = ['codex-2.6.0.v2reload.ndjson', 'opencode-1.18.33.ndjson', 'sdk-example-0.12.0.ndjson'];

/** Runs the test that a file has. */
async function runTest(text: string): Promise<number> {
  const tests: (() => Promise<void>)[] = [];
  const body = text.replace(/^import .*$/gm, '');
  const run = new Function('connect', 'playback', 'foldTraffic', 'transcriptOf', 'expect', 'test', body);
  run(connect, playback, foldTraffic, transcriptOf, expect, (_: string, body: () => Promise<void>) =>
    tests.push(body),
  );
  for (const each of tests) await each();
  return tests.length;
}

test.each(names)(
  '%s saved as a test plays to a client with the same transcript, and no other',
  async (name) => {
    const saved = testText(await readTimeline(readFileSync(new URL(name, recordings), 'utf8')), {
      title: name,
    });
    expect(saved).toContain('foldTraffic(recording)');
    expect(await runTest(saved)).toBe(1);
    if (name !== names[0]) return;
    const other = saved.replace(/(\.toEqual\(\[\s*\[\s*")/, '$1something else ');
    await expect(runTest(other)).rejects.toThrow(/expected/);
  },
);

describe.each(dialectNames)('a session of the demo agent in %s', (dialect) => {
  test('saved as a test, makes the calls again, with its permission', async () => {
    const recording = recordTraffic();
    const { transport, agent } = memoryTransport();
    serveDemoAgent(agent, memoryStore(), dialects[dialect]);
    const connection = await connect(transport, {
      clientInfo: { name: 'test', version: '1.0.0' },
      trace: recording,
      handlers: {
        requestPermission: ({ options }) => ({ outcome: 'selected', optionId: options[0]?.optionId ?? '' }),
      },
    });
    const session = await connection.newSession({ cwd: '/project' });
    await session.prompt('please edit my notes');
    await session.prompt('hello');
    await connection.close();
    const saved = testText(await readTimeline(recording.toString()), { title: 'demo' });
    expect(saved).toContain('await session1.prompt(');
    expect(saved).toContain('playback(recording)');
    expect(await runTest(saved)).toBe(1);
    expect(saved).toMatch(/const permissions = \[\{"outcome":"selected"/);
  });
});

const extras: readonly TimelineItem[] = [
  { type: 'process', t: 0, state: 'starting', command: 'agent', args: [], env: [] },
  { type: 'stderr', t: 3, text: 'a warning' },
  { type: 'process', t: 5, state: 'exited', exitCode: 1, signal: null, reason: 'It exited.' },
];

test('a saved recording keeps what is beside the messages, and folds as before', async () => {
  const text = readFileSync(new URL('opencode-1.18.33.reload.ndjson', recordings), 'utf8');
  const items = [...(await readTimeline(text)), ...extras];
  const message = items.findIndex((item) => item.type === 'message' && item.dir === 'in');
  const cause: TimelineItem = {
    type: 'diagnostic',
    t: 5,
    rule: 'rpc.null_id',
    severity: 'info',
    message: 'x',
    cause: message,
  };
  const saved = recordingText([...items, cause]);
  expect(await foldTraffic(saved)).toEqual(await foldTraffic(text));
  const again = await readTimeline(saved);
  expect(again.slice(-4, -1)).toEqual(extras);
  const last = again.at(-1);
  expect(last).toEqual({
    ...cause,
    cause: again.findIndex((item) => item.type === 'message' && item.dir === 'in'),
  });
  expect(recordingText(again)).toBe(saved);
});

test('a saved page has its timelines, and no text of the agent ends the element', () => {
  const page = 'a<script type="application/json" id="timelines"></script>b';
  const evil = '</script><script>alert(1)</script>\u2028<!--';
  const files = [{ format: 1, title: evil, items: [{ type: 'stderr', t: 0, text: evil }] }] as const;
  const html = htmlText(page, files);
  expect(html.match(/<\/script/g)).toHaveLength(1);
  expect(html).not.toMatch(/<!--/);
  const [, json = ''] = /id="timelines">(.*)<\/script>/.exec(html) ?? [];
  expect(JSON.parse(json)).toEqual(files);
  expect(() => htmlText('no place', files)).toThrow('has no place');
});

const line = (dir: 'in' | 'out', msg: object) =>
  JSON.stringify({ dir, t: 0, msg: { jsonrpc: '2.0', ...msg } });
/** A recording of a session, with these lines after its start. */
const recordingWith = (...lines: readonly string[]) =>
  [
    line('out', { id: 0, method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } }),
    line('in', { id: 0, result: { protocolVersion: 1, agentCapabilities: {} } }),
    line('out', { id: 1, method: 'session/new', params: { cwd: '/p', mcpServers: [] } }),
    line('in', { id: 1, result: { sessionId: 's1' } }),
    ...lines,
    line('in', { id: 2, result: { stopReason: 'end_turn' } }),
  ].join('\n');

test.each([
  ['session/prompt', {}],
  ['session/set_mode', {}],
  ['session/set_config_option', { configId: 'model' }],
])('a damaged %s is saved as a test that folds the recording', async (method, params) => {
  const recording = recordingWith(line('out', { id: 2, method, params: { sessionId: 's1', ...params } }));
  const saved = testText(await readTimeline(recording), { title: 'damaged' });
  expect(saved).toContain('foldTraffic(recording)');
  expect(saved).not.toContain('await connect(');
});

test('a session in which the client ran a command is saved as a test that passes', async () => {
  const sessionId = 's1';
  const content = [{ type: 'terminal', terminalId: 'term1' }];
  const update = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'List', content };
  const prompt = [{ type: 'text', text: 'List.' }];
  const recording = recordingWith(
    line('out', { id: 2, method: 'session/prompt', params: { sessionId, prompt } }),
    line('in', { id: 0, method: 'terminal/create', params: { sessionId, command: 'ls' } }),
    line('out', { id: 0, result: { terminalId: 'term1' } }),
    line('in', { method: 'session/update', params: { sessionId, update } }),
    line('in', { id: 1, method: 'terminal/output', params: { sessionId, terminalId: 'term1' } }),
    line('out', { id: 1, result: { output: 'a file', truncated: false } }),
  );
  const saved = testText(await readTimeline(recording), { title: 'command' });
  expect(saved).toContain('a file');
  expect(await runTest(saved)).toBe(1);
});

/** How often the script of a session with this number of prompts reads a message. */
function readsFor(prompts: number): number {
  let reads = 0;
  const get = (target: object, key: string | symbol): unknown => {
    reads++;
    return Reflect.get(target, key);
  };
  const item = (dir: 'in' | 'out', msg: object): TimelineItem => ({
    type: 'message',
    dir,
    t: 0,
    msg: new Proxy(msg, { get }),
  });
  const turns = Array.from({ length: prompts }, (_, index) => [
    item('out', { id: index, method: 'session/prompt', params: { sessionId: 's1', prompt: [] } }),
    item('in', { id: 0, method: 'session/request_permission', params: { sessionId: 's1' } }),
    item('out', { id: 0, result: { outcome: { outcome: 'cancelled' } } }),
    item('in', { id: index, result: { stopReason: 'end_turn' } }),
  ]);
  const script = clientScript([
    item('out', { id: 'a', method: 'initialize', params: { protocolVersion: 1 } }),
    item('in', { id: 'a', result: { protocolVersion: 1 } }),
    item('out', { id: 'b', method: 'session/new', params: { cwd: '/p' } }),
    item('in', { id: 'b', result: { sessionId: 's1' } }),
    ...turns.flat(),
  ]);
  expect(script?.lines.filter((line) => line.includes('.prompt('))).toHaveLength(prompts);
  return reads;
}

test('a test of twice as many prompts reads each message as often', () => {
  const perPrompt = (prompts: number) => (readsFor(prompts) - readsFor(0)) / prompts;
  expect(perPrompt(200)).toBe(perPrompt(100));
});
