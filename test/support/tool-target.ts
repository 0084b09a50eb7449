import { connect as connectSocket, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { Tool } from '../../src/entries/tools.ts';
import type { ToolTransport } from '../../src/tools/endpoint.ts';
import { eventually } from './eventually.ts';
import { type OpenedServer, openServer } from './open-tools.ts';
import { addressOf, portOf, tokenOf } from './tool-client.ts';

/** A session with a server of tools, which an attack is made on. */
export interface ToolTarget extends OpenedServer {
  readonly token: string;
  /** The inputs that reached the tool `echo`. */
  readonly ran: unknown[];
}

/** Opens a session with the tool `echo` and others. */
export async function toolTarget(
  transport: ToolTransport,
  tools: Readonly<Record<string, Tool>> = {},
): Promise<ToolTarget> {
  const ran: unknown[] = [];
  const echo: Tool = {
    description: 'Returns its input.',
    input: { type: 'object' },
    run: (input) => {
      ran.push(input);
      return 'ran';
    },
  };
  const opened = await openServer({ echo, ...tools }, { transport });
  return { ...opened, token: tokenOf(opened.server), ran };
}

/** The server refused something, none of it reached the tool, the diagnostics have no token, and the agent is served. */
export async function expectRefused(target: ToolTarget): Promise<void> {
  const rules = () => target.diagnostics.map(({ rule }) => rule);
  await eventually(rules).toContain('tools.refused');
  await expectUntouched(target);
}

/** Nothing reached the tool, the diagnostics have no token, and the agent is served. */
export async function expectUntouched(target: ToolTarget): Promise<void> {
  expect(target.ran).toEqual([]);
  expect(JSON.stringify(target.diagnostics)).not.toContain(target.token);
  await expectServed(target);
}

/** The agent is served. A connection whose token is read too late, on a busy machine, is made again. */
export async function expectServed(target: ToolTarget): Promise<void> {
  const before = target.ran.length;
  const call = echoCall('served', { from: 'the agent' });
  await eventually(() => sendAsAgent(target, call)).toContain('"text":"ran"');
  expect(target.ran.splice(before)).toEqual([{ from: 'the agent' }]);
}

/** Sends a request as the agent would, and resolves with the text of the answer. */
export async function sendAsAgent(
  { server, agent, token }: Pick<ToolTarget, 'server' | 'agent' | 'token'>,
  message: object,
): Promise<string> {
  switch (server['type']) {
    case 'http':
      return (await post(server, message)).text();
    case 'acp': {
      const { id, method, params } = message as { id: unknown; method: string; params: JsonObject };
      const serverId = String(server['serverId']);
      const answer = await agent.request('mcp/message', { serverId, requestId: String(id), method, params });
      return JSON.stringify(answer);
    }
    default: {
      const socket = await openSocket({ path: addressOf(server) });
      socket.write(`${token}\n${JSON.stringify(message)}\n`);
      const answer = await lineFrom(socket);
      socket.destroy();
      return answer;
    }
  }
}

const jsonHeaders = (server: JsonObject) => ({
  Authorization: `Bearer ${tokenOf(server)}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
});

/** The headers of a message over HTTP in the newest version of MCP. */
function httpHeaders(server: JsonObject, message: object): Readonly<Record<string, string>> {
  const { method, params } = message as { method?: string; params?: { name?: string } };
  return {
    ...jsonHeaders(server),
    'Mcp-Protocol-Version': '2026-07-28',
    ...(method !== undefined && { 'Mcp-Method': method }),
    ...(params?.name !== undefined && { 'Mcp-Name': params.name }),
  };
}

/** The headers of a message over HTTP in a version of MCP with sessions, in one of them or before the first one. */
export function sessionHeaders(server: JsonObject, mcpSession?: string): Readonly<Record<string, string>> {
  const inSession = { 'Mcp-Session-Id': mcpSession ?? '', 'Mcp-Protocol-Version': '2025-11-25' };
  return { ...jsonHeaders(server), ...(mcpSession !== undefined && inSession) };
}

/** Posts a message with the headers that the agent got. */
export function post(
  server: JsonObject,
  message: object,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const headers = httpHeaders(server, message);
  return fetch(String(server['url']), { method: 'POST', signal, headers, body: JSON.stringify(message) });
}

export interface HttpParts {
  readonly line?: string;
  /** Headers beside those of a good request, or in their place. `undefined` leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Lines that are sent beside the headers. */
  readonly more?: readonly string[];
  readonly body?: string;
}

/** A request of HTTP that sends a message as the agent would, with some parts of it changed. */
export function httpText(
  server: JsonObject,
  message: object,
  { line = 'POST /mcp HTTP/1.1', headers, more = [], body = JSON.stringify(message) }: HttpParts = {},
): string {
  const good: Record<string, string | undefined> = {
    Host: `127.0.0.1:${portOf(server)}`,
    ...httpHeaders(server, message),
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(good).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}: ${value}`,
  );
  return [line, ...lines, ...more, '', body].join('\r\n');
}

/** Resolves with the first line, or with what there is when the connection ends. */
export function lineFrom(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
      const end = received.indexOf('\n');
      if (end >= 0) resolve(received.slice(0, end));
    });
    socket.on('close', () => resolve(received));
  });
}

/** A connected socket that is closed when the test is over. */
export async function openSocket(to: { readonly port: number } | { readonly path: string }): Promise<Socket> {
  const socket = 'port' in to ? connectSocket(to.port, '127.0.0.1') : connectSocket(to.path);
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  // How it ended is what `ended` and the tests look at.
  socket.on('error', () => {});
  return socket;
}

/** Resolves with what was received when the other side has ended the connection. */
export function ended(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    if (socket.closed) resolve(received);
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
    });
    socket.on('close', () => resolve(received));
  });
}

/** Sends a text, and resolves with the answer when the server has ended the connection. */
export async function exchange(port: number, sent: string): Promise<string> {
  const socket = await openSocket({ port });
  socket.write(sent);
  return ended(socket);
}

/** A call of the tool `echo` in the newest version of MCP, which needs no session. */
export function echoCall(id: number | string = 1, input: unknown = { from: 'an attacker' }): JsonObject {
  return request('tools/call', id, { name: 'echo', arguments: input });
}

/** A request in the newest version of MCP. */
export function request(method: string, id: number | string = 1, params: object = {}): JsonObject {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  // The parameters of a test are JSON.
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } as JsonObject };
}
