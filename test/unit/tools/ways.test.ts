import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import * as rpcCodes from '../../../src/core/rpc/codes.ts';
import { type Tool, toolServer } from '../../../src/entries/tools.ts';
import type { ToolTransport } from '../../../src/tools/endpoint.ts';
import { connectTo, dialectNames } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { leftOf, openTools, waitingTool, ways } from '../../support/open-tools.ts';
import { describedTo } from '../../support/tool-client.ts';

const structured = { structuredContent: { isOpen: true } };
/** It is sent as a text, too. */
const resultBytes = JSON.stringify(structured).length + JSON.stringify(structured.structuredContent).length;

// The other files prove what a call does over one way. These tests prove that each way has it, with each version of MCP.
describe.each(ways)('over %s, %s versions of MCP', (transport, era) => {
  test('a call reaches `run`, and the agent gets its progress and its result', async () => {
    const seen: unknown[] = [];
    const progressed: unknown[] = [];
    const open: Tool = {
      description: 'Opens a file.',
      input: { type: 'object', properties: { path: { type: 'string' } } },
      run: async (input, { session, meta, toolCallId, progress }) => {
        seen.push(input, session, meta, toolCallId);
        progress({ progress: 1, total: 2, message: 'half' });
        await eventually(() => progressed).toEqual([{ progress: 1, total: 2, message: 'half' }]);
        return structured;
      },
    };
    const { client, editor, session, diagnostics } = await openTools(
      { open_file: open, small: { description: 'Small.', run: () => structured } },
      {
        transport,
        era,
        server: { instructions: 'Ask before you delete.', maxUnreadResultBytes: 3 * resultBytes },
      },
    );
    expect(editor.transport).toBe(transport);
    expect(client.getInstructions()).toBe('Ask before you delete.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['open_file', 'small']);
    const onprogress = (progress: unknown) => progressed.push(progress);
    const _meta = { 'claudecode/toolUseId': 't1' };
    const call = { name: 'open_file', arguments: { path: '/a.ts' }, _meta };
    expect(await client.callTool(call, { onprogress })).toMatchObject(structured);
    expect(seen).toEqual([{ path: '/a.ts' }, session, expect.objectContaining(_meta), 't1']);
    // Results that are read need no room, however many there are.
    for (let count = 0; count < 6; count++) {
      expect(await client.callTool({ name: 'small' })).toMatchObject(structured);
    }
    await expect(client.callTool({ name: 'three' })).rejects.toThrow(/There is no tool/);
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  test('a call that the agent cancels is aborted, and the end of the session ends the others and leaves nothing', async () => {
    const { tool, signals } = waitingTool();
    const { client, session, server, diagnostics } = await openTools({ wait: tool }, { transport, era });
    const control = new AbortController();
    const cancelled = client.callTool({ name: 'wait' }, { signal: control.signal });
    await eventually(() => signals).toHaveLength(1);
    control.abort();
    await expect(cancelled).rejects.toThrow();
    await eventually(() => signals[0]?.aborted).toBe(true);
    expect(String(signals[0]?.reason)).toBe('AbortError: The agent cancelled the call.');
    client.callTool({ name: 'wait' }).catch(() => {});
    await eventually(() => signals).toHaveLength(2);
    await session.close();
    expect(String(signals[1]?.reason)).toBe('AbortError: The session is over.');
    expect(diagnostics.filter(({ rule }) => rule === 'tools.interrupted')).toHaveLength(1);
    await expect(client.callTool({ name: 'wait' })).rejects.toThrow();
    expect(signals).toHaveLength(2);
    expect(await leftOf(server)).toEqual([]);
  });
});

const tools = { one: { description: '1', run: () => '1' } };

/** What an agent of each dialect says of the ways that it has. */
const advertising: Readonly<Record<DialectName, (...ways: readonly ToolTransport[]) => JsonObject>> = {
  v1: (...ways) => ({
    protocolVersion: 1,
    agentCapabilities: { mcpCapabilities: Object.fromEntries(ways.map((way) => [way, true])) },
  }),
  'v2-markers': (...ways) => ({
    protocolVersion: 2,
    info: { name: 'scripted', version: '1.0.0' },
    capabilities: { session: { load: {}, mcp: Object.fromEntries(ways.map((way) => [way, {}])) } },
  }),
  'v2-baseline': (...ways) => ({
    protocolVersion: 2,
    info: { name: 'scripted', version: '1.0.0' },
    capabilities: { session: { mcp: Object.fromEntries(ways.map((way) => [way, {}])) } },
  }),
};

function connectToAgent(initialize: JsonObject) {
  return connectTo(initialize, { script: (agent) => agent.on('session/new', { sessionId: 's1' }) });
}

describe.each(dialectNames)('%s', (dialect) => {
  const preferences = [
    [['acp', 'http', 'stdio'], undefined, 'acp'],
    [['http', 'stdio'], undefined, 'http'],
    [['stdio'], undefined, 'stdio'],
    [['acp', 'http', 'stdio'], ['http', 'acp'], 'http'],
    [['acp', 'http', 'stdio'], ['stdio'], 'stdio'],
    [['http', 'stdio'], ['acp', 'stdio'], 'stdio'],
  ] as const satisfies readonly (readonly [
    readonly ToolTransport[],
    readonly ToolTransport[] | undefined,
    ToolTransport,
  ])[];

  test.each(preferences)(
    'an agent with %j and a server with %j use %s',
    async (ways, transports, expected) => {
      const { agent, connection, diagnostics } = await connectToAgent(advertising[dialect](...ways));
      const editor = toolServer({ name: 'editor', tools, transports });
      expect(editor.transport).toBeUndefined();
      await connection.newSession({ cwd, mcpServers: [editor] });
      expect(editor.transport).toBe(expected);
      expect(describedTo(agent)['type'] ?? 'stdio').toBe(expected);
      expect(diagnostics.filter(({ rule }) => rule === 'tools.transport')).toMatchObject([
        { severity: 'info', message: `The agent reaches the server editor over ${expected}.` },
      ]);
    },
  );

  test('a server that the agent cannot reach is refused before anything is written', async () => {
    const { agent, connection, diagnostics } = await connectToAgent(advertising[dialect]());
    const transports = dialect === 'v1' ? (['acp', 'http'] as const) : undefined;
    const editor = toolServer({ name: 'editor', tools, transports });
    for (const options of [{}, { allowUnsupported: true }]) {
      const opening = connection.newSession({ cwd, mcpServers: [editor] }, options);
      await expect(opening).rejects.toMatchObject({
        code: 'usage.capability',
        message: expect.stringMatching(
          /cannot reach the server editor, which uses acp, http(, stdio)?\. .*\. Nothing was sent\. Open the session without/,
        ),
        method: 'mcp/message',
        missing: (transports ?? ['acp', 'http', 'stdio']).map((way) => ({
          supported: false,
          feature: `session.mcp.${way}`,
        })),
      });
    }
    expect(agent.calls('session/new')).toEqual([]);
    expect(editor.transport).toBeUndefined();
    expect(diagnostics).toEqual([]);
    // The session opens without the server.
    await connection.newSession({ cwd });
  });
});

test('plain descriptions beside a server of the editor are checked as always', async () => {
  const { agent, connection } = await connectToAgent(advertising['v2-baseline']('http'));
  const plain = { name: 'files', command: '/bin/files', args: [], env: [] };
  const mcpServers = [toolServer({ name: 'editor', tools }), plain];
  await expect(connection.newSession({ cwd, mcpServers })).rejects.toMatchObject({
    code: 'usage.capability',
  });
  expect(agent.calls('session/new')).toEqual([]);
  await connection.newSession({ cwd, mcpServers }, { allowUnsupported: true });
  expect(agent.calls('session/new')).toHaveLength(1);
});

test('messages for other servers reach the handler of the editor', async () => {
  const messages: unknown[] = [];
  const { agent, connection } = await connectTo(advertising.v1('acp'), {
    script: (scripted) => scripted.on('session/new', { sessionId: 's1' }),
    handlers: {
      mcpMessage: (message) => {
        messages.push(message);
        return { result: { own: true } };
      },
    },
  });
  const own = { type: 'acp' as const, name: 'own', serverId: 'own' };
  await connection.newSession({ cwd, mcpServers: [toolServer({ name: 'editor', tools }), own] });
  const ask = (serverId: unknown) =>
    agent.request('mcp/message', { serverId: String(serverId), requestId: 'r1', method: 'server/discover' });
  expect(await ask('own')).toMatchObject({ result: { result: { own: true } } });
  expect(messages).toEqual([{ serverId: 'own', requestId: 'r1', method: 'server/discover' }]);
  // The server answers itself, and the handler does not see the message.
  expect((await ask(describedTo(agent)['serverId'])).result).not.toMatchObject({ result: { own: true } });
  expect(messages).toHaveLength(1);
});

test('a message for a server that is not there is refused without a handler', async () => {
  const { agent, connection } = await connectToAgent(advertising.v1('acp'));
  const params = { serverId: 'other', requestId: 'r1', method: 'tools/list' };
  expect(await agent.request('mcp/message', params)).toMatchObject({
    error: { code: rpcCodes.methodNotFound },
  });
  await connection.newSession({ cwd, mcpServers: [toolServer({ name: 'editor', tools })] });
  expect(await agent.request('mcp/message', params)).toMatchObject({
    error: { code: rpcCodes.mcpServerUnavailable, data: { serverId: 'other' } },
  });
});
