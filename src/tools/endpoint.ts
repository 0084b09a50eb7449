import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { McpServerHost } from '../client/mcp-provider.ts';
import type { McpMessage, McpMessageAnswer } from '../client/requests/handlers.ts';
import type { McpServer } from '../protocol/calls.ts';
import type { McpPackages } from './packages.ts';

/** The longest message that an agent can send over HTTP or stdio, in bytes. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** How long the reader of an answer may read nothing, in milliseconds. */
export const slowReaderLimitMs = 30_000;

/** How an agent reaches a server of the editor. */
export type ToolTransport = 'acp' | 'http' | 'stdio';

/** What a way to the agent is made with. */
export interface EndpointParts {
  /** The name of the server. */
  readonly name: string;
  readonly packages: McpPackages;
  /** Makes the MCP server of one connection, or of one request. */
  readonly create: McpServerFactory;
  readonly host: McpServerHost;
}

/** A server that one session of the agent can reach. */
export interface Endpoint {
  readonly description: McpServer;
  /** Serves a message that came over the connection to the agent. Absent where the agent uses another way. */
  readonly serve?: (message: McpMessage, signal: AbortSignal) => Promise<McpMessageAnswer>;
  /** Tells the agent that the list of tools is another one. */
  toolsChanged(): void;
  /** Ends every connection and everything that listens. Never rejects. */
  close(): Promise<void>;
}
