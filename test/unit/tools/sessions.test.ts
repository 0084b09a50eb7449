import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import * as rpcCodes from '../../../src/core/rpc/codes.ts';
import type { Tool } from '../../../src/entries/tools.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import {
  connectClient,
  connectTools,
  leftOf,
  serverOf,
  transports,
  waitingTool,
} from '../../support/open-tools.ts';
import { reopened } from '../../support/recorded-session.ts';
import { describedTo } from '../../support/tool-client.ts';

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
