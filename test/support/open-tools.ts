import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Client, ClientOptions } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { ConnectOptions } from '../../src/client/connect.ts';
import type { Session } from '../../src/client/session/session.ts';
import type { JsonObject } from '../../src/json.ts';
import type { DialectName } from '../../src/protocol/dialect.ts';
import type { ScriptedAgent } from '../../src/testing/scripted-agent.ts';
import { type Tool, type ToolServer, type ToolTransport, toolServer } from '../../src/tools/index.ts';
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

/** The private folders of servers over stdio that this process has left in the folder for temporary files. */
export function toolFolders(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('acp-tools-'));
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
