import type { McpServerConfig } from '../model/mcp-server.ts';
import type { CustomFeature, Feature } from '../protocol/feature.ts';
import type { ClientConnection } from './connection.ts';

/** An MCP server that the agent cannot connect to. */
export interface UnsupportedMcpServer {
  readonly server: McpServerConfig;
  /** The missing feature, such as `session.mcp.sse`. */
  readonly feature: Feature | CustomFeature;
  /** The reason, as one sentence for the user. */
  readonly reason: string;
}

/**
 * Separates the MCP servers that this agent can connect to from the others. A session that is opened with an
 * unsupported server is refused with a {@link CapabilityError}, so pass only the supported ones.
 *
 * @example
 * ```ts
 * const { supported, unsupported } = supportedMcpServers(connection, servers);
 * for (const { server, reason } of unsupported) console.warn(`${server.name} is not used. ${reason}`);
 * const session = await connection.newSession({ cwd, mcpServers: supported });
 * ```
 * @see https://agentclientprotocol.com/protocol/session-setup#mcp-servers
 */
export function supportedMcpServers(
  connection: Pick<ClientConnection, 'explain'>,
  servers: readonly McpServerConfig[],
): { readonly supported: readonly McpServerConfig[]; readonly unsupported: readonly UnsupportedMcpServer[] } {
  const supported: McpServerConfig[] = [];
  const unsupported: UnsupportedMcpServer[] = [];
  for (const server of servers) {
    const {
      feature,
      supported: isSupported,
      reason,
    } = connection.explain(`session.mcp.${server.type ?? 'stdio'}`);
    if (isSupported) supported.push(server);
    else unsupported.push({ server, feature, reason });
  }
  return { supported, unsupported };
}
