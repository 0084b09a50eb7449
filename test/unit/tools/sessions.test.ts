import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { isJsonObject, type JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import * as rpcCodes from '../../../src/core/rpc/codes.ts';
import type { Tool } from '../../../src/entries/tools.ts';
import { foldTraffic } from '../../../src/records/recording/fold-traffic.ts';
import { playback, readRecords } from '../../../src/records/recording/playback.ts';
import { recordTraffic } from '../../../src/records/recording/record-traffic.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import type { ToolTransport } from '../../../src/tools/endpoint.ts';
import { everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import {
  connectClient,
  connectTools,
  leftOf,
  openTools,
  serverOf,
  transports,
  waitingTool,
} from '../../support/open-tools.ts';
import { endTurn, reopened, says, toolCall, works } from '../../support/recorded-session.ts';
import { describedTo, tokenOf } from '../../support/tool-client.ts';

/** A tool that says which session its call belongs to. */
const whoami: Tool = { description: 'x', run: (_input, { session }) => session.sessionId };

async function whoIs(agent: ScriptedAgent, server: JsonObject): Promise<unknown> {
  const client = await connectClient(agent, server);
  const { content } = await client.callTool({ name: 'whoami' });
  await client.close();
  return (content[0] as { readonly text: string }).text;
}

/** What is left of a server. One over the connection is gone when it does not know its id any more. */
async function remains(agent: ScriptedAgent, server: JsonObject): Promise<readonly string[]> {
  if (server['type'] !== 'acp') return leftOf(server);
  const { error } = await agent.request('mcp/message', {
    serverId: String(server['serverId']),
    requestId: 'r1',
    method: 'tools/list',
  });
  return error?.code === rpcCodes.mcpServerUnavailable ? [] : [`the server ${server['serverId']}`];
}

test.each(transports)(
  'two sessions with one server over %s are separate, and end for themselves',
  async (transport) => {
    const { agent, connection } = await connectTools();
    const editor = serverOf({ whoami }, transport);
    const first = await connection.newSession({ cwd, mcpServers: [editor] });
    const one = describedTo(agent);
    const second = await connection.newSession({ cwd, mcpServers: [editor] });
    const two = describedTo(agent);
    for (const key of ['serverId', 'url', 'headers', 'env']) {
      if (one[key] !== undefined) expect(one[key]).not.toEqual(two[key]);
    }
    expect(await whoIs(agent, one)).toBe('s1');
    expect(await whoIs(agent, two)).toBe('s2');
    // The secret of one session does not open the other.
    if (transport === 'http') {
      await expect(connectClient(agent, { ...two, headers: one['headers'] as never })).rejects.toThrow();
    }
    await first.close();
    expect(await remains(agent, one)).toEqual([]);
    expect(await whoIs(agent, two)).toBe('s2');
    await second.close();
    expect(await remains(agent, two)).toEqual([]);
  },
);

test('a session can have several servers, one of them twice, and plain descriptions beside them', async () => {
  const { agent, connection } = await connectTools();
  const editor = serverOf({ whoami });
  const plain = { name: 'files', command: '/bin/files', args: [], env: [] };
  const session = await connection.newSession({
    cwd,
    mcpServers: [editor, plain, serverOf({ whoami }), editor],
  });
  const servers = [0, 1, 2, 3].map((index) => describedTo(agent, 'session/new', index));
  expect(servers.map(({ name }) => name)).toEqual(['editor', 'files', 'editor', 'editor']);
  expect(servers[1]).toMatchObject({ command: '/bin/files' });
  for (const index of [0, 2, 3]) expect(await whoIs(agent, servers[index] ?? {})).toBe('s1');
  await session.close();
  for (const index of [0, 2, 3]) expect(await remains(agent, servers[index] ?? {})).toEqual([]);
});

test('nothing is left when a session is not opened', async () => {
  const { agent, connection } = await connectTools();
  const editor = serverOf({ whoami });
  const params = { cwd, mcpServers: [editor] };
  agent.on('session/new', () => {
    throw new Error('no');
  });
  await expect(connection.newSession(params)).rejects.toThrow();
  expect(await remains(agent, describedTo(agent))).toEqual([]);
  agent.on('session/new', {});
  await expect(connection.newSession(params)).rejects.toMatchObject({ code: 'protocol.message' });
  expect(await remains(agent, describedTo(agent))).toEqual([]);
  await expect(connection.newSession(params, { signal: AbortSignal.abort('no') })).rejects.toBe('no');
  expect(agent.calls('session/new')).toHaveLength(2);
  await expect(connection.newSession({ cwd: 'relative', mcpServers: [editor] })).rejects.toThrow();
  expect(agent.calls('session/new')).toHaveLength(2);
  expect(connection.sessions).toEqual([]);
});

test('nothing is left when the user gives up, and the agent opens the session later', async () => {
  const { agent, connection } = await connectTools();
  const editor = serverOf({ whoami });
  agent.on('session/new', () => noAnswer);
  const control = new AbortController();
  const opening = connection.newSession({ cwd, mcpServers: [editor] }, { signal: control.signal });
  opening.catch(() => {});
  const { id } = await agent.called('session/new');
  // The agent can list the tools before it answers, and a call waits for the session.
  const client = await connectClient(agent, describedTo(agent));
  expect((await client.listTools()).tools).toHaveLength(1);
  const call = client.callTool({ name: 'whoami' }).then(
    ({ isError }) => isError ?? false,
    () => true,
  );
  control.abort('never mind');
  await expect(opening).rejects.toBe('never mind');
  expect(await call).toBe(true);
  agent.answer(id as number, { sessionId: 'late' });
  await agent.called('session/close');
  await eventually(() => remains(agent, describedTo(agent))).toEqual([]);
});

test('a session that is opened again has the servers of the last call', async () => {
  const { agent, connection } = await connectTools();
  await connection.newSession({ cwd, mcpServers: [serverOf({ whoami })] });
  const first = describedTo(agent);
  const other = serverOf({ whoami });
  await connection.loadSession({ sessionId: 's1', cwd, mcpServers: [other] });
  const second = describedTo(agent, 'session/load');
  expect(await whoIs(agent, second)).toBe('s1');
  await eventually(() => remains(agent, first)).toEqual([]);
  // A load that fails leaves the session as it was.
  agent.on('session/load', () => {
    throw new Error('no');
  });
  await expect(connection.loadSession({ sessionId: 's1', cwd, mcpServers: [other] })).rejects.toThrow();
  expect(await remains(agent, describedTo(agent, 'session/load'))).toEqual([]);
  expect(await whoIs(agent, second)).toBe('s1');
  // A session that is open is returned, with the servers that it has.
  const session = await connection.openSession({ sessionId: 's1', cwd, mcpServers: [other] });
  expect(agent.calls('session/load')).toHaveLength(2);
  expect(await whoIs(agent, second)).toBe('s1');
  await connection.resumeSession({ sessionId: 's1', cwd, mcpServers: [other] });
  const third = describedTo(agent, 'session/resume');
  await eventually(() => remains(agent, second)).toEqual([]);
  expect(await whoIs(agent, third)).toBe('s1');
  await connection.resumeSession({ sessionId: 's1', cwd });
  await eventually(() => remains(agent, third)).toEqual([]);
  await session.close();
});

test('a fork and a session that is opened by its id have their servers', async () => {
  const { agent, connection } = await connectTools({
    script: (scripted) => scripted.on('session/fork', { sessionId: 'fork' }),
  });
  const editor = serverOf({ whoami });
  await connection.newSession({ cwd, mcpServers: [editor] });
  await connection.forkSession({ sessionId: 's1', cwd, mcpServers: [editor] });
  expect(await whoIs(agent, describedTo(agent, 'session/fork'))).toBe('fork');
  expect(await whoIs(agent, describedTo(agent))).toBe('s1');
  await connection.openSession({ sessionId: 'old', cwd, mcpServers: [editor] });
  expect(await whoIs(agent, describedTo(agent, 'session/load'))).toBe('old');
});

test('a server serves the sessions of two connections, each for itself', async () => {
  const editor = serverOf({ whoami });
  const one = await connectTools();
  const two = await connectTools();
  await one.connection.newSession({ cwd, mcpServers: [editor] });
  await two.connection.newSession({ cwd, mcpServers: [editor] });
  // The id of a server is known on its own connection only.
  expect(await remains(two.agent, describedTo(one.agent))).toEqual([]);
  expect(await remains(one.agent, describedTo(one.agent))).toHaveLength(1);
  await one.connection.close();
  expect(await whoIs(two.agent, describedTo(two.agent))).toBe('s1');
});

test('the second server of a session cannot be used: the first one ends', async () => {
  const { agent, connection } = await connectTools();
  const wrong = serverOf({ bad: { description: 'x', input: { type: 'array' }, run: () => '' } });
  const opening = connection.newSession({ cwd, mcpServers: [serverOf({ whoami }), wrong] });
  await expect(opening).rejects.toThrow(/The input of the tool bad/);
  expect(agent.calls('session/new')).toEqual([]);
  expect(connection.sessions).toEqual([]);
});

test.each(['acp', 'http'] as const)(
  'over %s, a server moves to the agent that is started again, and a call under way is reported',
  async (transport) => {
    const agents: ScriptedAgent[] = [];
    const rules: string[] = [];
    const start = () => {
      const agent = scriptedAgent().on('initialize', everything.v1).on('session/new', { sessionId: 's1' });
      agents.push(agent.on('session/resume', {}));
      return agent.transport;
    };
    const connection = await connect(start, {
      clientInfo: { name: 'test', version: '0' },
      reconnect: { firstDelayMs: 1 },
      onDiagnostic: ({ rule }) => rules.push(rule),
    });
    onTestFinished(() => connection.close());
    const { tool: wait, signals } = waitingTool();
    await connection.newSession({ cwd, mcpServers: [serverOf({ wait, whoami }, transport)] });
    const [first] = agents as [ScriptedAgent];
    const before = describedTo(first);
    const client = await connectClient(first, before);
    client.callTool({ name: 'wait' }).catch(() => {});
    await eventually(() => signals).toHaveLength(1);
    const isBack = reopened(connection);
    first.channel.exit({ exitCode: null, signal: 'SIGKILL' });
    await isBack;
    expect(String(signals[0]?.reason)).toBe('AbortError: The session is over.');
    const [, second] = agents as [ScriptedAgent, ScriptedAgent];
    const after = describedTo(second, 'session/resume');
    expect(after).not.toEqual(before);
    await eventually(() => leftOf(before)).toEqual([]);
    expect(await whoIs(second, after)).toBe('s1');
    const told = rules.filter((rule) => rule.startsWith('tools.'));
    expect(told).toEqual(['tools.transport', 'tools.interrupted', 'tools.transport']);
  },
);

/** Calls over the connection are a part of its recording. Those over another one are notes in it. */
const cases = [
  ['acp', 'v1'],
  ['acp', 'v2-baseline'],
  ['http', 'v1'],
  ['http', 'v2-baseline'],
] as const satisfies readonly (readonly [ToolTransport, DialectName])[];

/** A turn in which the agent lists and calls a tool, with progress, and learns of a change of the tools. */
async function recorded(transport: ToolTransport, dialect: DialectName) {
  const calls: unknown[] = [];
  const open: Tool = {
    description: 'Opens a file.',
    input: { type: 'object', properties: { path: { type: 'string' } } },
    run: (input, { progress }) => {
      calls.push(input);
      progress({ progress: 1, total: 2 });
      return 'Opened.';
    },
  };
  const recording = recordTraffic();
  const { agent, connection, session, editor, client, server } = await openTools(
    { open_file: open },
    {
      transport,
      dialect,
      connect: { trace: recording },
      script: (scripted) => scripted.on('session/prompt', works(dialect)),
    },
  );
  const turn = session.prompt('Open it.');
  const { id } = await agent.called('session/prompt');
  const onprogress = () => {};
  await client.callTool({ name: 'open_file', arguments: { path: '/a.ts' } }, { onprogress });
  const { sessionUpdate: _, ...done } = toolCall(dialect, { status: 'completed' });
  agent.update('s1', { sessionUpdate: 'tool_call_update', ...done }, says(' Done.'));
  endTurn(dialect, agent, id);
  await turn;
  const live = session.conversation;
  await session.close();
  await connection.close();
  const text = recording.toString();
  const messages = readRecords(text).flatMap(({ dir, msg }) => (isJsonObject(msg) ? [{ dir, msg }] : []));
  return { editor, calls, live, text, messages, token: tokenOf(server) };
}

describe.each(cases)('over %s, in %s', (transport, dialect) => {
  test('a recording has each call once and no token, and folds and plays to the same transcript', async () => {
    const { editor, calls, live, text, messages, token } = await recorded(transport, dialect);
    expect(text).not.toContain(token);
    const notes = messages.filter(({ msg }) => msg['method'] === '$/tool');
    const call = { server: 'editor', sessionId: 's1', call: 1 };
    const result = { content: [{ type: 'text', text: 'Opened.' }] };
    expect(notes.map(({ dir, msg: { params } }) => ({ dir, params }))).toEqual(
      transport === 'acp'
        ? []
        : [
            { dir: 'in', params: { ...call, tool: 'open_file', arguments: { path: '/a.ts' } } },
            { dir: 'out', params: { ...call, result } },
          ],
    );
    const overAcp = messages.filter(
      ({ msg: { params } }) => isJsonObject(params) && params['method'] === 'tools/call',
    );
    expect(overAcp).toHaveLength(transport === 'acp' ? 1 : 0);

    const { sessions, diagnostics } = await foldTraffic(text);
    expect(sessions.map(({ conversation }) => conversation)).toEqual([live]);
    // Each recording of version 2 says that it is a draft.
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);

    expect(calls).toHaveLength(1);
    const again = recordTraffic();
    const connection = await connect(playback(text), {
      clientInfo: { name: 'test', version: '0' },
      onDiagnostic() {},
      trace: again,
    });
    const session = await connection.newSession({ cwd, mcpServers: [editor] });
    await session.prompt('Open it.');
    expect(session.conversation).toEqual(live);
    await session.close();
    await connection.close();
    // A tool does not run again: what it returned is in the recording.
    expect(calls).toHaveLength(1);
    const asked = messages.filter(
      ({ dir, msg }) => dir === 'in' && msg['method'] === 'mcp/message' && msg['id'] !== undefined,
    );
    const answered = readRecords(again.toString()).filter(
      ({ dir, msg }) => dir === 'out' && isJsonObject(msg) && isJsonObject(msg['error']),
    );
    expect(answered).toHaveLength(asked.length);
  });
});

test('notes are redacted: secrets that the agent got, and the fields that carry secrets', async () => {
  const recording = recordTraffic();
  const env: Tool = {
    description: 'x',
    run: () => ({ structuredContent: { env: [{ name: 'KEY', value: 'top-secret-value' }] } }),
  };
  const { client, server } = await openTools({ env }, { transport: 'http', connect: { trace: recording } });
  const token = tokenOf(server);
  await client.callTool({ name: 'env', arguments: { token: `the token ${token}` } });
  expect(recording.toString()).not.toContain(token);
  expect(recording.toString()).toContain('the token [redacted]');
  expect(recording.records.at(-1)?.msg).toMatchObject({
    method: '$/tool',
    params: { result: { structuredContent: { env: [{ name: 'KEY', value: '[redacted]' }] } } },
  });
});
