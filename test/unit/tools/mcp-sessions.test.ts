import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import { Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { mcpServer, type Tool, type ToolResult } from '../../../src/entries/tools.ts';
import type { ToolTransport } from '../../../src/tools/endpoint.ts';
import { maxMcpSessions } from '../../../src/tools/http.ts';
import { settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import {
  connectClient,
  connectTools,
  openServer,
  ownSchema,
  type ServerOptions,
  ways,
} from '../../support/open-tools.ts';
import { describedTo } from '../../support/tool-client.ts';
import { post, request, sessionHeaders } from '../../support/tool-target.ts';

const tool = { description: 'x', run: () => 'ran' };
const clientInfo = { name: 'test', version: '1' };
const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
};

interface Sent {
  readonly id?: string;
  readonly message?: object;
  readonly signal?: AbortSignal;
}

/** A server over HTTP, and the requests of an agent with a version of MCP that has sessions. */
async function target(tools: Readonly<Record<string, Tool>> = { one: tool }, limits: ServerOptions = {}) {
  const { editor, server } = await openServer(tools, { transport: 'http', server: limits });
  const send = (method: string, { id, message, signal = new AbortController().signal }: Sent = {}) =>
    fetch(String(server['url']), {
      method,
      signal,
      headers: sessionHeaders(server, id),
      ...(message && { body: JSON.stringify(message) }),
    });
  const begin = async () => {
    const answer = await send('POST', { message: initialize });
    await answer.text();
    return answer.headers.get('mcp-session-id') ?? 'no session';
  };
  /** The status of a request in a session. */
  const ask = async (id: string) => {
    const answer = await send('POST', { id, message: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    await answer.text();
    return answer.status;
  };
  return { editor, server, send, begin, ask };
}

/** A server of the editor, without tools. */
const serverWith = (capabilities: ServerCapabilities = {}) =>
  new Server({ name: 'own', version: '1' }, { capabilities: { tools: {}, ...capabilities } });

/** Opens a session with a server of the editor. */
async function openOwn(transport: ToolTransport, create: () => Server) {
  const own = mcpServer({ name: 'own', transports: [transport], create });
  const { agent, connection, diagnostics } = await connectTools();
  const session = await connection.newSession({ cwd, mcpServers: [own] });
  return { agent, diagnostics, session, server: describedTo(agent) };
}

test('[reliability: limit-tool-sessions] the oldest session of MCP ends when the agent begins one more than it can have', async () => {
  const { begin, ask } = await target();
  const ids: string[] = [];
  for (let count = 0; count < maxMcpSessions; count++) ids.push(await begin());
  const [first = '', second = ''] = ids;
  expect(await ask(first)).toBe(200);
  const last = await begin();
  expect(await ask(first)).toBe(404);
  expect(await ask(second)).toBe(200);
  expect(await ask(last)).toBe(200);
});

test('[reliability: limit-tool-sessions] an agent has 16 subscriptions over HTTP, and one more is refused', async () => {
  const { server } = await openOwn('http', () => serverWith({ tools: { listChanged: true } }));
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const listen = (id: number) =>
    post(
      server,
      request('subscriptions/listen', id, { notifications: { toolsListChanged: true } }),
      end.signal,
    );
  for (let count = 0; count < maxMcpSessions; count++) {
    expect((await listen(count)).headers.get('content-type')).toBe('text/event-stream');
  }
  expect(await (await listen(maxMcpSessions)).text()).toContain('Subscription limit reached');
});

test('a session of MCP that the agent has ended is not there any more, and takes no place', async () => {
  const { send, begin, ask } = await target();
  const first = await begin();
  for (let count = 0; count < maxMcpSessions; count++) {
    const id = await begin();
    const ended = await send('DELETE', { id });
    await ended.text();
    expect(ended.status).toBe(200);
    expect(await ask(id)).toBe(404);
  }
  expect(await ask(first)).toBe(200);
});

test('an agent opens its stream of events again after a loss', async () => {
  // A stream that is kept alive is noticed as lost some time later.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { send, begin } = await target();
  const id = await begin();
  const lost = new AbortController();
  expect((await send('GET', { id, signal: lost.signal })).status).toBe(200);
  lost.abort();
  const end = new AbortController();
  onTestFinished(() => end.abort());
  // The server learns of the loss a moment later. Not with `expect.poll`, which lets simulated time pass.
  let stream = await send('GET', { id, signal: end.signal });
  while (stream.status !== 200) {
    await stream.text();
    stream = await send('GET', { id, signal: end.signal });
  }
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
});

describe('a result needs no room', () => {
  /** It takes all the room. */
  const large = () => ({ structuredContent: { text: 'x'.repeat(1000) } });
  const small: Tool = { description: 'x', run: () => 'ran'.repeat(100) };

  /** A session with two tools, and calls of them. */
  async function callsOf(wait: Tool) {
    const { send, begin } = await target({ wait, small }, { maxUnreadResultBytes: 1000 });
    const id = await begin();
    const post = (message: object, init: { signal?: AbortSignal } = {}) =>
      send('POST', { id, message: { jsonrpc: '2.0', ...message }, ...init });
    const call = (name: string, init?: { signal?: AbortSignal }) =>
      post({ id: name, method: 'tools/call', params: { name } }, init);
    return { post, call };
  }

  test('if the connection for it was closed before the tool has returned', async () => {
    const flush = vi.spyOn(ServerResponse.prototype, 'flushHeaders');
    onTestFinished(() => flush.mockRestore());
    const begun = deferred<() => void>();
    const run = () => new Promise<ToolResult>((resolve) => begun.resolve(() => resolve(large())));
    const { call } = await callsOf({ description: 'x', run });
    const left = new AbortController();
    await call('wait', { signal: left.signal });
    const end = await begun.promise;
    // The stream of the answer is the last that began.
    const response = flush.mock.contexts.at(-1) as ServerResponse;
    left.abort();
    await once(response, 'close');
    end();
    expect(await (await call('small')).text()).toContain('ranran');
  });

  test('if its call was cancelled, while the connection for it stays open', async () => {
    const checking = deferred();
    const validate = () => {
      checking.resolve();
      return new Promise(() => {});
    };
    const output = ownSchema(validate);
    const { call, post } = await callsOf({ description: 'x', output, run: large });
    await call('wait');
    await checking.promise;
    await post({ method: 'notifications/cancelled', params: { requestId: 'wait' } });
    await eventually(async () => (await call('small')).text()).toContain('ranran');
  });
});

describe.each(ways)('a server of the editor over %s, %s versions of MCP', (transport, era) => {
  test('ends with its session, and gets no token', async () => {
    const headers: (readonly string[])[] = [];
    let open = 0;
    const { agent, diagnostics, session, server } = await openOwn(transport, () => {
      const own = serverWith();
      open++;
      own.onclose = () => void open--;
      own.setRequestHandler('tools/list', (_, { http }) => {
        headers.push([...(http?.req?.headers.keys() ?? [])]);
        return { tools: [] };
      });
      return own;
    });
    const client = await connectClient(agent, server, era);
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
  const { agent, server: described } = await openOwn('acp', () => {
    server = serverWith({ logging: {} });
    server.setRequestHandler('tools/call', () => new Promise(() => {}));
    server.setRequestHandler('tools/list', (_, { mcpReq }) => {
      late = () => mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
      return { tools: [] };
    });
    return server;
  });
  agent.on('mcp/message', ({ requestId }) => ({ requestId }));
  const serverId = String(described['serverId']);
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
  const { server } = await openOwn('http', () => {
    made++;
    const own = serverWith();
    const close = own.close.bind(own);
    own.close = () => {
      closed++;
      return close();
    };
    return own;
  });
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
