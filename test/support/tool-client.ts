import {
  Client,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { JsonObject } from '../../src/core/base/json.ts';
import type { ScriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { addressVariable } from '../../src/tools/stdio.ts';

/** A version of MCP: one with a handshake, or one without. */
export type McpEra = 'legacy' | 'modern';

/** The server that an agent got with its latest session. */
export function describedTo(agent: ScriptedAgent, method = 'session/new', index = 0): JsonObject {
  const call = agent.calls(method).at(-1);
  const servers = call?.params?.['mcpServers'];
  if (!Array.isArray(servers)) throw new Error(`${method} was not called with servers.`);
  return servers[index] as JsonObject;
}

interface Pair {
  readonly name: string;
  readonly value: string;
}

/** What an agent got in the headers or the variables of a server, by its name. */
function pairsOf(list: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(((list ?? []) as readonly Pair[]).map(({ name, value }) => [name, value]));
}

/** The token in a description. The way `acp` has none. */
export function tokenOf(server: JsonObject): string {
  const { Authorization, ACP_TOOLS_TOKEN } = pairsOf([server['headers'] ?? [], server['env'] ?? []].flat());
  return Authorization?.replace('Bearer ', '') ?? ACP_TOOLS_TOKEN ?? 'no token';
}

/** The address of a server over stdio. */
export function addressOf(server: JsonObject): string {
  return pairsOf(server['env'])[addressVariable] ?? '';
}

/** The port of a server over HTTP. */
export function portOf(server: JsonObject): number {
  return Number(new URL(String(server['url'])).port);
}

/** The official client of MCP, connected to a server as the agent would connect to it. */
export async function toolClient(
  agent: ScriptedAgent,
  server: JsonObject,
  era: McpEra = 'legacy',
): Promise<Client> {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : ('legacy' as const);
  const client = new Client({ name: 'test-agent', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transportFor(agent, server));
  return client;
}

/** The client's transport for a description of a server. */
export function transportFor(agent: ScriptedAgent, server: JsonObject): Transport {
  switch (server['type']) {
    case 'http':
      return new StreamableHTTPClientTransport(new URL(String(server['url'])), {
        requestInit: { headers: pairsOf(server['headers']) },
      });
    case 'acp':
      return new AcpClientTransport(agent, String(server['serverId']));
    default:
      return new StdioClientTransport({
        command: String(server['command']),
        args: server['args'] as string[],
        env: pairsOf(server['env']),
        stderr: 'pipe',
      });
  }
}

/** MCP over ACP, as an agent speaks it: each request is one `mcp/message`. */
class AcpClientTransport implements Transport {
  onclose?: () => void;
  onmessage?: Transport['onmessage'];
  readonly #agent: ScriptedAgent;
  readonly #serverId: string;
  readonly #requests = new Map<unknown, number>();

  constructor(agent: ScriptedAgent, serverId: string) {
    this.#agent = agent;
    this.#serverId = serverId;
    agent.on('mcp/message', ({ requestId, method, params }) => {
      this.onmessage?.({ jsonrpc: '2.0', method, params } as JSONRPCMessage);
      return { requestId };
    });
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message)) return;
    const { method, params } = message;
    if (!('id' in message)) {
      if (method !== 'notifications/cancelled') return;
      const id = this.#requests.get((params as { requestId: unknown }).requestId);
      if (id !== undefined) this.#agent.notify('$/cancel_request', { requestId: id });
      return;
    }
    const request = this.#agent.request('mcp/message', {
      serverId: this.#serverId,
      requestId: String(message.id),
      method,
      ...(params && { params: params as JsonObject }),
    });
    this.#requests.set(message.id, request.id);
    const { result, error } = await request;
    this.#requests.delete(message.id);
    const answer = (error ? { error } : result) as JsonObject;
    this.onmessage?.({ jsonrpc: '2.0', id: message.id, ...answer } as unknown as JSONRPCMessage);
  }
}
