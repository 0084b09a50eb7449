import { Server } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { mcpServer } from '../../../src/entries/tools.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { connectClient, connectTools, ways } from '../../support/open-tools.ts';
import { describedTo } from '../../support/tool-client.ts';
import { request, sessionHeaders } from '../../support/tool-target.ts';

describe.each(ways)('a server of the editor over %s, %s versions of MCP', (transport, era) => {
  test('ends with its session, and gets no token', async () => {
    const headers: (readonly string[])[] = [];
    let open = 0;
    const own = mcpServer({
      name: 'own',
      transports: [transport],
      create() {
        const server = new Server({ name: 'own', version: '1' }, { capabilities: { tools: {} } });
        open++;
        server.onclose = () => void open--;
        server.setRequestHandler('tools/list', (_, { http }) => {
          headers.push([...(http?.req?.headers.keys() ?? [])]);
          return { tools: [] };
        });
        return server;
      },
    });
    const { agent, connection, diagnostics } = await connectTools();
    const session = await connection.newSession({ cwd, mcpServers: [own] });
    const client = await connectClient(agent, describedTo(agent), era);
    expect((await client.listTools()).tools).toEqual([]);
    expect(headers).toHaveLength(1);
    expect(headers[0]).not.toContain('authorization');
    // Its calls are its own.
    await session.cancel();
    await session.close();
    await eventually(() => open).toBe(0);
    expect(diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });
});

test('over acp, what a server sends by itself goes to the request whose token it has, or nowhere', async () => {
  let server: Server | undefined;
  let late: (() => Promise<void>) | undefined;
  const own = mcpServer({
    name: 'own',
    transports: ['acp'],
    create() {
      server = new Server({ name: 'own', version: '1' }, { capabilities: { tools: {}, logging: {} } });
      server.setRequestHandler('tools/call', () => new Promise(() => {}));
      server.setRequestHandler('tools/list', (_, { mcpReq }) => {
        late = () => mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
        return { tools: [] };
      });
      return server;
    },
  });
  const { agent, connection } = await connectTools();
  await connection.newSession({ cwd, mcpServers: [own] });
  agent.on('mcp/message', ({ requestId }) => ({ requestId }));
  const serverId = String(describedTo(agent)['serverId']);
  const call = (requestId: string, progressToken?: string) => {
    const { method = null, params = null } = request('tools/call', 0, { name: 'x' });
    if (progressToken !== undefined) Object.assign(Reflect.get(Object(params), '_meta'), { progressToken });
    void agent.request('mcp/message', { serverId, requestId, method, params });
  };
  call('r1', 'one');
  call('r2', 'two');
  call('r3');
  await eventually(() => server).toBeDefined();
  await settle();
  const tell = (progressToken: string | number, progress: number) =>
    server?.notification({ method: 'notifications/progress', params: { progressToken, progress } });
  await tell('unknown', 1);
  await tell('two', 2);
  await tell('one', 3);
  await server?.notification({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
  await server?.notification({ method: 'notifications/own' });
  const { method = null, params = null } = request('tools/list');
  await agent.request('mcp/message', { serverId, requestId: 'r4', method, params });
  // The request has its answer.
  await late?.();
  await expect(server?.request({ method: 'own/ask' }, v.object({}))).rejects.toThrow(
    'Over ACP, an MCP server cannot send requests to the agent.',
  );
  const sent = () => agent.calls('mcp/message').map(({ params }) => params);
  await eventually(sent).toHaveLength(2);
  expect(sent()).toMatchObject([
    { serverId, requestId: 'r2', params: { progressToken: 'two', progress: 2 } },
    { serverId, requestId: 'r1', params: { progressToken: 'one', progress: 3 } },
  ]);
});

test('a request over HTTP that begins no session of MCP leaves no server behind', async () => {
  let made = 0;
  let closed = 0;
  const own = mcpServer({
    name: 'own',
    transports: ['http'],
    create() {
      made++;
      const server = new Server({ name: 'own', version: '1' }, { capabilities: { tools: {} } });
      const close = server.close.bind(server);
      server.close = () => {
        closed++;
        return close();
      };
      return server;
    },
  });
  const { agent, connection } = await connectTools();
  await connection.newSession({ cwd, mcpServers: [own] });
  const server = describedTo(agent);
  for (let id = 0; id < 5; id++) {
    const answer = await fetch(String(server['url']), {
      method: 'POST',
      headers: sessionHeaders(server),
      body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }),
    });
    await answer.text();
  }
  expect(made).toBeGreaterThan(0);
  await eventually(() => closed).toBe(made);
});
