import type { McpServerFactory, ServerContext } from '@modelcontextprotocol/server';
import { codeOf } from '../core/base/diagnostic.ts';
import { ConnectionClosedError } from '../core/base/errors.ts';
import type { McpServerHost, ServedMcpServer } from '../core/client/session/mcp-provider.ts';
import type { McpPackages } from './packages.ts';

/** The longest message that an agent can send over HTTP or stdio, in bytes. */
export const maxMessageBytes = 4 * 1024 * 1024;

/** How long the reader of an answer may read nothing, in milliseconds. */
export const slowReaderLimitMs = 30_000;

/** How an agent reaches a server of the editor. */
export type ToolTransport = 'acp' | 'http' | 'stdio';

/** Calls `listener` when the agent has taken the answer to a request of MCP, or cannot take it. */
export type OnTaken = (request: ServerContext, listener: () => void) => void;

/** The way on which calls come. */
export interface CallWay {
  /**
   * Whether it is another connection than the one to the agent. What calls tools there can be another process than the one
   * whose end is noticed, and the recording of the connection does not have the calls.
   */
  readonly isSeparate: boolean;
  readonly onTaken: OnTaken;
}

/** What a way to the agent is made with. */
export interface EndpointParts {
  /** The name of the server. */
  readonly name: string;
  readonly packages: McpPackages;
  /** Makes what makes the MCP server of one connection, or of one request. */
  readonly create: (onTaken: OnTaken) => McpServerFactory;
  readonly host: McpServerHost;
}

/** A server that one session of the agent can reach. */
export interface Endpoint extends Pick<ServedMcpServer, 'description' | 'serve'> {
  /** Ends every connection and everything that listens. Never rejects. */
  close(): Promise<void>;
}

/** Whether a call was aborted because its connection ended, and not because the agent cancelled it. */
export function isConnectionEnd(reason: unknown): boolean {
  // The second one is the code of the packages of MCP.
  return reason instanceof ConnectionClosedError || codeOf(reason) === 'CONNECTION_CLOSED';
}
