import { existsSync } from 'node:fs';
import { connect as connectSocket, type IpcNetConnectOpts, type TcpNetConnectOpts } from 'node:net';
import { dirname } from 'node:path';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { ConnectOptions } from '../../src/client/connect.ts';
import type { Session } from '../../src/client/session/session.ts';
import { type Tool, type ToolServer, type ToolTransport, toolServer } from '../../src/entries/tools.ts';
import type { DialectName } from '../../src/protocol/dialect.ts';
import type { ScriptedAgent } from '../../src/testing/scripted-agent.ts';
import { addressVariable } from '../../src/tools/stdio.ts';
import { type Connected, connectTo, everything } from './agents.ts';
import { cwd } from './open-session.ts';
import { describedTo, type McpEra, toolClient } from './tool-client.ts';

/** Each way to the agent, with the versions of MCP that it has. */
export const ways = [
  ['acp', 'modern'],
  ['http', 'legacy'],
  ['http', 'modern'],
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
] as const satisfies readonly (readonly [ToolTransport, McpEra])[];

export const transports = ['acp', 'http', 'stdio'] as const satisfies readonly ToolTransport[];

export interface OpenToolsOptions {
  readonly transport?: ToolTransport;
  readonly era?: McpEra;
  readonly dialect?: DialectName;
  readonly client?: ClientOptions;
  readonly connect?: Partial<ConnectOptions>;
  readonly script?: (agent: ScriptedAgent) => unknown;
}

export interface OpenedTools extends Connected {
  readonly editor: ToolServer;
  readonly session: Session;
  /** The official client of MCP, connected as the agent would connect. */
  readonly client: Client;
}

/** A server with these tools. The agent reaches it in one way. */
export function serverOf(
  tools: Readonly<Record<string, Tool>>,
  transport: ToolTransport = 'acp',
): ToolServer {
  return toolServer({ name: 'editor', tools, transports: [transport] });
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

/** Opens a session with one server, and connects the official client of MCP to it. */
export async function openTools(
  tools: Readonly<Record<string, Tool>>,
  options: OpenToolsOptions = {},
): Promise<OpenedTools> {
  const { transport = 'acp', era = 'modern', client: clientOptions } = options;
  const editor = serverOf(tools, transport);
  const connected = await connectTools(options);
  const session = await connected.connection.newSession({ cwd, mcpServers: [editor] });
  const client = await connectClient(connected.agent, describedTo(connected.agent), era, clientOptions);
  return { ...connected, editor, session, client };
}

/** Connects the official client of MCP. It closes when the test is over. */
export async function connectClient(
  agent: ScriptedAgent,
  server: JsonObject,
  era: McpEra = 'modern',
  options: ClientOptions = {},
): Promise<Client> {
  const client = await toolClient(agent, server, era, options);
  onTestFinished(() => client.close());
  return client;
}

/** What is left of a server that an agent got: what still listens, and its temporary folder. */
export async function leftOf(server: JsonObject): Promise<readonly string[]> {
  if (server['type'] === 'acp') return [];
  if (server['type'] === 'http') {
    const port = Number(new URL(String(server['url'])).port);
    return (await listens({ host: '127.0.0.1', port })) ? [`the port ${port}`] : [];
  }
  const variables = server['env'] as readonly { readonly name: string; readonly value: string }[];
  const path = variables.find(({ name }) => name === addressVariable)?.value ?? '';
  const left = (await listens({ path })) ? [`the socket ${path}`] : [];
  const folder = dirname(path);
  return existsSync(folder) ? [...left, `the folder ${folder}`] : left;
}

async function listens(address: TcpNetConnectOpts | IpcNetConnectOpts): Promise<boolean> {
  const socket = connectSocket(address);
  const isConnected = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  return isConnected;
}

/** A tool that runs until its signal is aborted, and the signals of its calls. */
export function waitingTool(): { readonly tool: Tool; readonly signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  const tool: Tool = {
    description: 'Waits.',
    run: (_input, { signal }) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  return { tool, signals };
}
