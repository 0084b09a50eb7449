import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { outlineOf } from '../../process/cli/command-line.ts';

const recordings = fileURLToPath(new URL('../../fixtures/traffic', import.meta.url));

describe('what real agents replayed', () => {
  const reloads = readdirSync(recordings).filter((name) => name.endsWith('reload.ndjson'));

  test('there are such recordings', () => expect(reloads.length).toBeGreaterThanOrEqual(3));

  test.each(reloads)('%s', async (name) => {
    const { dialect, sessions, diagnostics } = await foldTraffic(read(name));
    const summary = sessions.map(({ conversation, updates }) => ({
      sessionId: conversation.sessionId,
      updates,
      entries: conversation.entries.length,
      activity: conversation.activity,
      outline: outlineOf(conversation),
    }));
    const told = JSON.stringify({ dialect, diagnostics, sessions: summary }, null, 2);
    await expect(`${told}\n`).toMatchFileSnapshot(`golden/${name.replace('.ndjson', '.json')}`);
  });
});

test('a session says the same live and loaded again, where the agent replays all of it', async () => {
  const [live] = (await foldTraffic(read('codex-2.6.0.v2.ndjson'))).sessions;
  const [again] = (await foldTraffic(read('codex-2.6.0.v2reload.ndjson'))).sessions;
  // The agent does not keep a prompt that was cancelled before it began, and gives it no id.
  const said = (session: typeof live, origin: string) =>
    session?.conversation.entries.flatMap((each) =>
      each.kind === 'message' && each.role === 'user' && each.origin === origin ? (each.messageId ?? []) : [],
    );
  expect(said(live, 'live')).toHaveLength(10);
  expect(said(again, 'replay')).toEqual(said(live, 'live'));
});

test('the text of a recording is folded as its lines', async () => {
  const lines = read('opencode-1.18.33.ndjson');
  const folded = await foldTraffic(lines.join('\n'));
  expect(folded.sessions.length).toBeGreaterThan(1);
  expect(folded).toEqual(await foldTraffic(lines));
});

const initialized = [
  out({ id: 0, method: 'initialize', params: { protocolVersion: 1 } }),
  into({ id: 0, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } }),
];

test('a prompt, its answer, a permission and a change of mode', async () => {
  const toolCall = { toolCallId: 't', title: 'Write' };
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] };
  const lines = [
    ...initialized,
    out({ id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } }),
    into({ id: 1, result: { sessionId: 's', modes } }),
    out({
      id: 2,
      method: 'session/prompt',
      params: { sessionId: 's', prompt: [{ type: 'text', text: 'Hi' }] },
    }),
    says('s', 'Hello'),
    into({ id: 7, method: 'session/request_permission', params: { sessionId: 's', toolCall, options } }),
  ];
  const asked = (await foldTraffic(lines)).sessions[0]?.conversation;
  expect(asked?.activity.state).toBe('requires_action');
  expect(asked?.entries.at(-1)).toMatchObject({ title: 'Write', permission: { options } });

  lines.push(
    out({ id: 7, result: { outcome: { outcome: 'selected', optionId: 'yes' } } }),
    out({ id: 3, method: 'session/set_mode', params: { sessionId: 's', modeId: 'code' } }),
    into({ id: 3, result: {} }),
    into({ id: 2, result: { stopReason: 'end_turn' } }),
  );
  const done = (await foldTraffic(lines)).sessions[0]?.conversation;
  expect(done?.activity).toEqual({ state: 'idle', stopReason: 'end_turn' });
  expect(done?.modes?.currentModeId).toBe('code');
  expect(done && outlineOf(done)).toEqual(['user live: Hi', 'agent live: Hello', 'tool cancelled: Write']);
  expect(done?.entries.at(-1)).toMatchObject({ permission: null });
});

test('a session that was closed keeps what was said', async () => {
  const prompt = [{ type: 'text', text: 'Hi' }];
  const { sessions } = await foldTraffic([
    ...initialized,
    says('s', 'early'),
    out({ id: 1, method: 'session/close', params: { sessionId: 's' } }),
    into({ id: 1, result: {} }),
    out({ id: 2, method: 'session/prompt', params: { sessionId: 's', prompt } }),
    into({ id: 2, error: { code: -32002, message: 'closed' } }),
    out({ id: 3, method: 'session/resume', params: { sessionId: 's', cwd: '/' } }),
    into({ id: 3, result: {} }),
    says('s', 'Welcome back.'),
  ]);
  expect(sessions.map(({ conversation }) => outlineOf(conversation))).toEqual([
    ['agent live: early', 'agent live: Welcome back.'],
  ]);
  expect(sessions[0]?.conversation.activity).toEqual({ state: 'idle', stopReason: null });
});

test('a new session with the id of an earlier one is another session, and the last one goes on', async () => {
  const create = (id: number) => [
    out({ id, method: 'session/new', params: { cwd: '/', mcpServers: [] } }),
    into({ id, result: { sessionId: 's' } }),
  ];
  const { sessions } = await foldTraffic([
    ...[...initialized, ...create(1), says('s', 'first')],
    ...[...initialized, ...create(1), says('s', 'second')],
  ]);
  expect(sessions.map(({ conversation }) => outlineOf(conversation))).toEqual([
    ['agent live: first'],
    ['agent live: second'],
  ]);
});

test('lines that are no records are passed over, and named', async () => {
  const lines = [
    '',
    'no JSON',
    ...initialized,
    '[1]',
    '{"dir":"up","msg":{}}',
    '{"dir":"in"}',
    says('s', 'Hi'),
  ];
  const { sessions, diagnostics } = await foldTraffic(lines);
  expect(sessions.map(({ conversation }) => outlineOf(conversation))).toEqual([['agent live: Hi']]);
  expect(diagnostics.map(({ message }) => message.slice(0, 7))).toEqual([
    'Line 2 ',
    'Line 5 ',
    'Line 6 ',
    'Line 7 ',
  ]);
});

test('without the answer to initialize the dialect must be told', async () => {
  const untold = await foldTraffic([says('s', 'Hi'), says('s', '!')]);
  expect(untold).toMatchObject({
    dialect: undefined,
    sessions: [],
    diagnostics: [{ rule: 'protocol.dialect' }],
  });
  const told = await foldTraffic([says('s', 'Hi')], { dialect: 'v1' });
  expect(told).toMatchObject({ dialect: 'v1', sessions: [{ updates: 1 }], diagnostics: [] });
});

test('nothing that a recording holds makes it fail', async () => {
  const odd: readonly JsonObject[] = [
    { method: 'session/update' },
    { method: 'session/update', params: { sessionId: 's', update: null } },
    { method: 'session/request_permission', id: 1, params: { sessionId: 's' } },
    { method: 'session/request_permission', id: null },
    { method: '$/cancel_request', params: { requestId: 1 } },
    { id: 5, error: 'no' },
    { id: 'unknown', result: {} },
    {},
  ];
  const calls = [
    'session/prompt',
    'session/cancel',
    'session/load',
    'session/set_mode',
    'session/set_config_option',
  ];
  const lines = [
    ...initialized,
    ...odd.flatMap((message) => [into(message), out(message)]),
    ...calls.flatMap((method, id) => [
      out({ id, method }),
      into({ id, result: 7 }),
      out({ id, method, params: {} }),
    ]),
    '{"dir":"in","msg":[1,{"method":"session/update"}]}',
  ];
  const { dialect, diagnostics } = await foldTraffic(lines);
  expect(dialect).toBe('v1');
  expect(diagnostics.map(({ rule }) => rule)).toContain('protocol.malformed_update');
});

test('an answer that comes as text to a request with a number is taken for its answer', async () => {
  const { sessions } = await foldTraffic([
    ...initialized,
    out({ id: 1, method: 'session/new', params: {} }),
    into({ id: '1', result: { sessionId: 's' } }),
    says('s', 'Hi'),
  ]);
  expect(sessions).toMatchObject([{ conversation: { sessionId: 's' }, updates: 1 }]);
});

test('a message that is nested too deeply to be written is passed over', async () => {
  const depth = 200_000;
  const deep = `{"jsonrpc":"2.0","method":"session/update","params":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const { sessions } = await foldTraffic([
    ...initialized,
    says('s', 'Hi'),
    `{"dir":"in","t":0,"msg":${deep}}`,
    says('s', '!'),
  ]);
  expect(sessions.map(({ conversation }) => outlineOf(conversation))).toEqual([['agent live: Hi!']]);
});

function read(name: string): readonly string[] {
  return readFileSync(`${recordings}/${name}`, 'utf8').split('\n');
}

function into(msg: object): string {
  return JSON.stringify({ dir: 'in', t: 0, msg: { jsonrpc: '2.0', ...msg } });
}

function out(msg: object): string {
  return JSON.stringify({ dir: 'out', t: 0, msg: { jsonrpc: '2.0', ...msg } });
}

function says(sessionId: string, text: string): string {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  return into({ method: 'session/update', params: { sessionId, update } });
}
