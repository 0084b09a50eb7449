import { connect as connectSocket, type Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import type { Diagnostic } from '../../src/base/diagnostic.ts';
import type { JsonObject } from '../../src/base/json.ts';
import type { ClientConnection } from '../../src/client/connection.ts';
import type { Session } from '../../src/client/session/session.ts';
import { type Tool, type ToolServer, type ToolTransport, toolServer } from '../../src/entries/tools.ts';
import type { ScriptedAgent } from '../../src/testing/scripted-agent.ts';
import { connectTo, everything } from './agents.ts';
import { eventually } from './eventually.ts';
import { cwd } from './open-session.ts';
import { describedTo } from './tool-client.ts';

/** A session with a server of tools, which an attack is made on. */
export interface ToolTarget {
  readonly agent: ScriptedAgent;
  readonly connection: ClientConnection;
  readonly session: Session;
  readonly editor: ToolServer;
  readonly diagnostics: Diagnostic[];
  /** What the agent got for the server. */
  readonly server: JsonObject;
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
  const editor = toolServer({ name: 'editor', tools: { echo, ...tools }, transports: [transport] });
  let sessions = 0;
  const { agent, connection, diagnostics } = await connectTo(everything.v1, {
    script: (scripted) =>
      scripted.on('session/new', () => ({ sessionId: `s${++sessions}` })).on('session/close', {}),
  });
  const session = await connection.newSession({ cwd, mcpServers: [editor] });
  const server = describedTo(agent);
  return { agent, connection, session, editor, diagnostics, server, token: tokenOf(server), ran };
}

/** A tool whose calls wait for `release`, or for the end of the test. They ignore their signal. */
export function waitingTool() {
  let calls = 0;
  let running = 0;
  let most = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  onTestFinished(() => release());
  const wait: Tool = {
    description: 'Waits.',
    run: async () => {
      calls++;
      most = Math.max(most, ++running);
      await released;
      running--;
      return 'waited';
    },
  };
  return { wait, release, calls: () => calls, mostRunning: () => most };
}

/** The token in a description. The way `acp` has none. */
export function tokenOf(server: JsonObject): string {
  const named = [server['headers'], server['env']].flat() as ({ name: string; value: string } | undefined)[];
  const secret = named.find((pair) => pair?.name === 'Authorization' || pair?.name === 'ACP_TOOLS_TOKEN');
  return secret?.value.replace('Bearer ', '') ?? 'no token';
}

/** The address of a server over stdio. */
export function addressOf(server: JsonObject): string {
  const env = server['env'] as { name: string; value: string }[];
  return env.find(({ name }) => name === 'ACP_TOOLS_ADDRESS')?.value ?? '';
}

/** The port of a server over HTTP. */
export function portOf(server: JsonObject): number {
  return Number(new URL(String(server['url'])).port);
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
  expect(target.ran.slice(before)).toEqual([{ from: 'the agent' }]);
}

/** Sends a request as the agent would, and resolves with the text of the answer. */
export async function sendAsAgent({ server, agent, token }: ToolTarget, message: object): Promise<string> {
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

/** Posts a message with the headers that the agent got. */
export function post(
  { url, headers }: JsonObject,
  message: object,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const { method, params } = message as { method?: string; params?: { name?: string } };
  const given = (headers as { name: string; value: string }[]).map(
    ({ name, value }) => [name, value] as const,
  );
  return fetch(String(url), {
    method: 'POST',
    signal,
    headers: {
      ...Object.fromEntries(given),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      ...(method && { 'mcp-method': method }),
      ...(params?.name !== undefined && { 'mcp-name': params.name }),
    },
    body: JSON.stringify(message),
  });
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
export function echoCall(id: number | string = 1, input: unknown = { from: 'an attacker' }): object {
  return request('tools/call', id, { name: 'echo', arguments: input });
}

/** A request in the newest version of MCP. */
export function request(method: string, id: number | string = 1, params: object = {}): object {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}
