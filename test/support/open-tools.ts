import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect as connectSocket, type IpcNetConnectOpts, type TcpNetConnectOpts } from 'node:net';
import { dirname } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import { deferred } from '../../src/core/base/wait.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { Session } from '../../src/core/client/session/session.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import type { Tool, ToolSchema, ToolServer } from '../../src/entries/tools.ts';
import type { ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import type { ToolTransport } from '../../src/tools/endpoint.ts';
import { openToolServer } from '../../src/tools/tool-server.ts';
import { type Connected, connectTo, everything } from './agents.ts';
import { cwd } from './open-session.ts';
import { addressOf, describedTo, type McpEra, portOf, toolClient } from './tool-client.ts';

/** Each way to the agent, with the versions of MCP that it has. */
export const ways = [
  ['acp', 'modern'],
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const satisfies readonly (readonly [ToolTransport, McpEra])[];

export const transports = ['acp', 'http', 'stdio'] as const satisfies readonly ToolTransport[];

type Tools = Readonly<Record<string, Tool>>;

export interface OpenToolsOptions {
  readonly transport?: ToolTransport;
  readonly era?: McpEra;
  readonly dialect?: DialectName;
  readonly connect?: Partial<ConnectOptions>;
  readonly script?: (agent: ScriptedAgent) => unknown;
  readonly server?: ServerOptions;
}

export interface ServerOptions {
  readonly instructions?: string;
  /** Default: the limit of the library. */
  readonly maxUnreadResultBytes?: number;
}

export interface OpenedServer extends Connected {
  readonly editor: ToolServer;
  readonly session: Session;
  /** What the agent got for the server. */
  readonly server: JsonObject;
}

export interface OpenedTools extends OpenedServer {
  /** The official client of MCP, connected as the agent would connect. */
  readonly client: Client;
}

/** A server with these tools. The agent reaches it in one way. */
export function serverOf(
  tools: Tools,
  transport: ToolTransport = 'acp',
  options: ServerOptions = {},
): ToolServer {
  return openToolServer({ name: 'editor', transports: [transport], ...options }, Object.entries(tools));
}

/** Connects to an agent that gives each new session the next id: `s1`, `s2` and so on. */
export async function connectTools({
  dialect = 'v1',
  connect,
  script,
}: Pick<OpenToolsOptions, 'dialect' | 'connect' | 'script'> = {}): Promise<Connected> {
  let count = 0;
  return connectTo(everything[dialect], {
    ...connect,
    script: (agent) => {
      agent.on('session/new', () => ({ sessionId: `s${++count}` }));
      for (const method of ['session/close', 'session/load', 'session/resume']) agent.on(method, {});
      script?.(agent);
    },
  });
}

/** Opens a session with one server. */
export async function openServer(tools: Tools, options: OpenToolsOptions = {}): Promise<OpenedServer> {
  const editor = serverOf(tools, options.transport, options.server);
  const connected = await connectTools(options);
  const session = await connected.connection.newSession({ cwd, mcpServers: [editor] });
  return { ...connected, editor, session, server: describedTo(connected.agent) };
}

/** Opens a session with one server, and connects the official client of MCP to it. */
export async function openTools(tools: Tools, options: OpenToolsOptions = {}): Promise<OpenedTools> {
  const opened = await openServer(tools, options);
  const client = await connectClient(opened.agent, opened.server, options.era);
  return { ...opened, client };
}

/** Connects the official client of MCP. It closes when the test is over. */
export async function connectClient(
  agent: ScriptedAgent,
  server: JsonObject,
  era: McpEra = 'modern',
): Promise<Client> {
  const client = await toolClient(agent, server, era);
  onTestFinished(() => client.close());
  return client;
}

/** What is left of a server that an agent got: what still listens, and its temporary folder. */
export async function leftOf(server: JsonObject): Promise<readonly string[]> {
  if (server['type'] === 'acp') return [];
  if (server['type'] === 'http') {
    const port = portOf(server);
    return (await listens({ host: '127.0.0.1', port })) ? [`the port ${port}`] : [];
  }
  const path = addressOf(server);
  const left = (await listens({ path })) ? [`the socket ${path}`] : [];
  const folder = dirname(path);
  return existsSync(folder) ? [...left, `the folder ${folder}`] : left;
}

export async function listens(address: TcpNetConnectOpts | IpcNetConnectOpts): Promise<boolean> {
  const socket = connectSocket(address);
  const connected = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return connected.finally(() => socket.destroy());
}

/** A schema of a library of its own, which checks with a function. */
export function ownSchema(
  validate: (value: unknown) => unknown,
  jsonSchema: () => unknown = () => ({ type: 'object' }),
): ToolSchema {
  const forms = { input: jsonSchema, output: jsonSchema };
  const standard = { version: 1, vendor: 'own', validate, jsonSchema: forms };
  // The functions are those of a Standard Schema, as far as a test needs it.
  return { '~standard': standard } as unknown as ToolSchema;
}

/** A tool whose calls wait for `release`, or for the end of the test. They ignore their signals, which are kept. */
export function waitingTool() {
  const signals: AbortSignal[] = [];
  const released = deferred();
  onTestFinished(() => released.resolve());
  let running = 0;
  let most = 0;
  const tool: Tool = {
    description: 'Waits.',
    run: async (_input, { signal }) => {
      signals.push(signal);
      most = Math.max(most, ++running);
      await released.promise;
      running--;
      return 'waited';
    },
  };
  return { tool, signals, release: released.resolve, mostRunning: () => most };
}
