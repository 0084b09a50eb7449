import type { McpServerFactory } from '@modelcontextprotocol/server';
import { CapabilityError } from '../core/base/errors.ts';
import { isNode } from '../core/base/platform.ts';
import type { McpServerHost, ServedMcpServer } from '../core/client/session/mcp-provider.ts';
import { openAcp } from './acp.ts';
import type { CallWay, Endpoint, EndpointParts, OnTaken, ToolTransport } from './endpoint.ts';
import { loadMcp, type McpPackages } from './packages.ts';

/** The ways to an agent, the preferred one first. */
export const toolTransports = ['acp', 'http', 'stdio'] as const satisfies readonly ToolTransport[];

/** How each way begins. What an agent does not use is not loaded. */
const openers = {
  acp: async (parts) => openAcp(parts),
  http: async (parts) => (await import('./http.ts')).openHttp(parts),
  stdio: async (parts) => (await import('./stdio.ts')).openStdio(parts),
} satisfies Record<ToolTransport, (parts: EndpointParts) => Promise<Endpoint>>;

/**
 * The ways that do not pass over the connection to the agent. They need Node: a page in a browser has only that
 * connection. Its recording has notes of the calls.
 */
const isSeparate = { acp: false, http: true, stdio: true } satisfies Record<ToolTransport, boolean>;

/** An MCP server that an agent can be given. */
export interface ServerParts {
  readonly name: string;
  /** The ways that may be used, the preferred one first. */
  readonly transports: readonly ToolTransport[];
  /** Makes the servers for one session. */
  create(packages: McpPackages, way: CallWay): McpServerFactory;
  /** Ends the calls under way. Absent if they end with the connections of the server. */
  readonly calls?: Pick<ServedMcpServer, 'cancel' | 'interrupt'>;
}

/**
 * Begins to serve one session, in the first way that the agent supports.
 *
 * @throws {@link CapabilityError} if the agent supports none of them.
 */
export async function serveSession(parts: ServerParts, host: McpServerHost) {
  const { name } = parts;
  const transport = chooseTransport(parts, host);
  const packages = await loadMcp();
  const way = { isSeparate: isSeparate[transport] };
  const create = (onTaken: OnTaken) => parts.create(packages, { ...way, onTaken });
  const endpoint = await openers[transport]({ name, packages, create, host });
  const message = `The agent reaches the server ${name} over ${transport}.`;
  host.report({ rule: 'tools.transport', severity: 'info', message });
  let released: Promise<void> | undefined;
  return {
    ...endpoint,
    transport,
    cancel: () => parts.calls?.cancel(),
    interrupt: () => parts.calls?.interrupt(),
    release(): Promise<void> {
      parts.calls?.interrupt();
      released ??= endpoint.close();
      return released;
    },
  };
}

function chooseTransport({ name, transports }: ServerParts, host: McpServerHost): ToolTransport {
  const possible = transports.filter((transport) => isNode || !isSeparate[transport]);
  const explain = (transport: ToolTransport) => host.explain(`session.mcp.${transport}`);
  const chosen = possible.find((transport) => explain(transport).supported);
  if (chosen) return chosen;
  const missing = possible.map(explain);
  const reasons = missing.map(({ reason }) => reason).join(' ');
  const where = isNode ? '' : ' In a browser, only the way acp is possible.';
  throw new CapabilityError(
    `The agent cannot reach the server ${name}, which uses ${transports.join(', ')}. ${reasons}${where} Nothing was sent. Open the session without the server.`,
    { method: 'mcp/message', missing },
  );
}
