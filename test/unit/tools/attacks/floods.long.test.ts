import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../../../src/base/json.ts';
import { eventually } from '../../../support/eventually.ts';
import { describedTo, toolClient } from '../../../support/tool-client.ts';
import {
  echoCall,
  ended,
  exchange,
  expectRefused,
  expectServed,
  openSocket,
  portOf,
  post,
  request,
  type ToolTarget,
  toolTarget,
  waitingTool,
} from '../../../support/tool-target.ts';

/** Opens a session of a version of MCP that has them, and returns its id. */
async function initialize(server: JsonObject): Promise<string> {
  const clientInfo = { name: 'attacker', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const answer = await legacyPost(server, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
  await answer.text();
  return answer.headers.get('mcp-session-id') ?? '';
}

function legacyPost(server: JsonObject, message: object, session?: string): Promise<Response> {
  return fetch(String(server['url']), {
    method: 'POST',
    headers: { ...legacyHeaders(server, session), 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
}

function legacyHeaders(server: JsonObject, session?: string): Record<string, string> {
  const [authorization] = server['headers'] as { value: string }[];
  return {
    authorization: authorization?.value ?? '',
    accept: 'application/json, text/event-stream',
    ...(session !== undefined && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
  };
}

const legacyCall = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } };

async function connectTimes(target: ToolTarget, count: number): Promise<readonly Socket[]> {
  const port = portOf(target.server);
  return Promise.all(Array.from({ length: count }, () => openSocket({ port })));
}

const closedOf = (sockets: readonly Socket[]) => sockets.filter(({ closed }) => closed).length;

describe('[security: tools-floods] over HTTP', () => {
  test('2,000 requests without a token do not keep the agent out', async () => {
    const target = await toolTarget('http');
    const port = portOf(target.server);
    const text = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`;
    const flood = Array.from({ length: 2000 }, () => exchange(port, text).catch(() => 'refused'));
    const answers = await Promise.all(flood);
    // The others were closed before they were read.
    for (const answer of new Set(answers.map((each) => each.split('\r\n')[0]))) {
      expect(['HTTP/1.1 401 Unauthorized', '', 'refused']).toContain(answer);
    }
    await expectRefused(target);
  });

  test('[reliability: limit-tool-connections] connections that send nothing do not keep the agent out', async () => {
    const target = await toolTarget('http');
    const sockets = await connectTimes(target, 200);
    await eventually(() => closedOf(sockets)).toBe(200 - 128);
    expect(closedOf(sockets.slice(0, 200 - 128))).toBe(200 - 128);
    await expectRefused(target);
  });

  test('connections that send a part of their headers do not keep the agent out', async () => {
    const target = await toolTarget('http');
    const sockets = await connectTimes(target, 200);
    for (const socket of sockets) socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:');
    await eventually(() => closedOf(sockets)).toBe(200 - 128);
    await expectRefused(target);
  });

  test('a flood of calls is answered, and at most 64 run', async () => {
    const { wait, release, calls: started, mostRunning } = waitingTool();
    const target = await toolTarget('http', { wait });
    const statuses: number[] = [];
    const texts: string[] = [];
    const calls = Array.from({ length: 500 }, async (_, id) => {
      const answer = await post(target.server, request('tools/call', id, { name: 'wait' }));
      statuses.push(answer.status);
      texts.push(await answer.text());
    }).map((call) => call.catch(() => statuses.push(0)));
    await eventually(started).toBe(64);
    await eventually(() => statuses.length).toBeGreaterThanOrEqual(400);
    release();
    await Promise.all(calls);
    expect(mostRunning()).toBe(64);
    expect(texts.filter((text) => text.includes('"waited"')).length).toBeGreaterThanOrEqual(64);
    expect(statuses.filter((status) => ![200, 429, 0].includes(status))).toEqual([]);
    target.ran.splice(0);
    await expectServed(target);
  });

  test('a request before the answer to the one before it ends the connection and its call', async () => {
    let running = 0;
    const signals: AbortSignal[] = [];
    const wait = {
      description: 'Waits.',
      run: (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
        running++;
        signals.push(signal);
        return new Promise<string>(() => {});
      },
    };
    const target = await toolTarget('http', { wait });
    const body = JSON.stringify(request('tools/call', 1, { name: 'wait' }));
    const text = [
      'POST /mcp HTTP/1.1',
      `Host: 127.0.0.1:${portOf(target.server)}`,
      `Authorization: Bearer ${target.token}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      'Mcp-Protocol-Version: 2026-07-28',
      'Mcp-Method: tools/call',
      'Mcp-Name: wait',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
    const socket = await openSocket({ port: portOf(target.server) });
    socket.write(text.repeat(500));
    await ended(socket);
    expect(running).toBeLessThanOrEqual(1);
    await eventually(() => signals.every(({ aborted }) => aborted)).toBe(true);
    await expectRefused(target);
  });

  test('[reliability: limit-tool-sessions] sessions of MCP that never end take the place of the oldest ones', async () => {
    const target = await toolTarget('http');
    const sessions: string[] = [];
    for (let count = 0; count < 40; count++) sessions.push(await initialize(target.server));
    expect(new Set(sessions).size).toBe(40);
    const statuses = await Promise.all(
      sessions.map(async (session) => (await legacyPost(target.server, legacyCall, session)).status),
    );
    expect(statuses).toEqual([...Array(24).fill(404), ...Array(16).fill(200)]);
    target.ran.splice(0);
    await expectServed(target);
  });

  test.each(['', 'x', '__proto__', '00000000-0000-4000-8000-000000000000'])(
    'a session of MCP that is not there is refused (%#)',
    async (session) => {
      const target = await toolTarget('http');
      const { status } = await legacyPost(target.server, legacyCall, session);
      expect([400, 404]).toContain(status);
      expect(target.ran).toEqual([]);
      await expectServed(target);
    },
  );

  test('a session of MCP of another server is refused', async () => {
    const target = await toolTarget('http');
    const other = await toolTarget('http');
    const session = await initialize(other.server);
    expect((await legacyPost(target.server, legacyCall, session)).status).toBe(404);
    expect((await legacyPost(other.server, legacyCall, session)).status).toBe(200);
    expect(target.ran).toEqual([]);
    expect(other.ran).toEqual([{}]);
  });

  test('[reliability: limit-tool-sessions] 200 open streams end at the limits, and calls are served beside them', async () => {
    const target = await toolTarget('http');
    const control = new AbortController();
    onTestFinished(() => control.abort());
    const session = await initialize(target.server);
    const streams = Array.from({ length: 100 }, () =>
      fetch(String(target.server['url']), {
        headers: legacyHeaders(target.server, session),
        signal: control.signal,
      }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    const opened = await Promise.all(streams);
    expect(opened.filter((status) => status === 200)).toHaveLength(1);
    const listens = Array.from({ length: 100 }, (_, id) =>
      post(
        target.server,
        request('subscriptions/listen', id, { notifications: { toolsListChanged: true } }),
        control.signal,
      ).then(
        ({ status, headers }) => (headers.get('content-type') === 'text/event-stream' ? status : 'refused'),
        () => 0,
      ),
    );
    const listening = await Promise.all(listens);
    expect(listening.filter((status) => status === 200)).toHaveLength(16);
    await expectServed(target);
  });

  test('the connection is refused after the session', async () => {
    const target = await toolTarget('http');
    const session = await initialize(target.server);
    await target.session.close();
    await expect(post(target.server, echoCall())).rejects.toThrow();
    const late = legacyPost(target.server, legacyCall, session);
    await expect(late).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    expect(target.ran).toEqual([]);
  });

  test('a session of the official client cannot be used with the token of another session', async () => {
    const target = await toolTarget('http');
    const { connection, agent, editor } = target;
    const second = await connection.newSession({ cwd: '/', mcpServers: [editor] });
    const mixed = { ...target.server, headers: describedTo(agent)['headers'] } as JsonObject;
    await expect(toolClient(agent, mixed)).rejects.toThrow();
    await second.close();
    await expectRefused(target);
  });
});
