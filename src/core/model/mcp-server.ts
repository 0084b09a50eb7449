import type { JsonObject } from '../base/json.ts';

/** An MCP server that the agent should connect to. */
export type McpServerConfig =
  // First: compilers explain an error with the last member that has the most keys of a wrong server.
  /** A custom transport. Version 2 only. */
  | { readonly type: `_${string}`; readonly name: string; readonly [key: string]: unknown }
  | {
      readonly type?: 'stdio' | undefined;
      readonly name: string;
      /** An absolute path. */
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
      readonly _meta?: JsonObject | null | undefined;
    }
  | {
      readonly type: 'http' | 'sse';
      readonly name: string;
      readonly url: string;
      readonly headers?: readonly { readonly name: string; readonly value: string }[] | undefined;
      readonly _meta?: JsonObject | null | undefined;
    }
  /** @experimental */
  | {
      readonly type: 'acp';
      readonly name: string;
      readonly serverId: string;
      readonly _meta?: JsonObject | null | undefined;
    };

/** The key of the function that begins to serve a session. It is the same in each copy of this library. */
// `Symbol.for` has the type `symbol`, and a key needs a type of its own.
export const provideMcpServer: unique symbol = Symbol.for('acp-client-sdk.provideMcpServer') as never;

/**
 * An MCP server that the editor itself provides to the agent. `toolServer` of `acp-client-sdk/tools` returns one.
 *
 * @see https://agentclientprotocol.com/protocol/session-setup#mcp-servers
 */
export interface ProvidedMcpServer {
  /** The name under which the agent knows the server. */
  readonly name: string;
  /** Used by the connection. */
  readonly [provideMcpServer]: unknown;
}

/** An MCP server of a session: the description of one, or one of the editor itself. */
export type SessionMcpServer = McpServerConfig | ProvidedMcpServer;

/**
 * A message for an MCP server that the editor provides, or a message of such a server that belongs to one.
 *
 * @see https://agentclientprotocol.com/rfds/mcp-over-acp
 * @experimental
 */
export interface McpMessage {
  readonly serverId: string;
  readonly requestId: string;
  readonly method: string;
  readonly params?: JsonObject | null | undefined;
}

/**
 * The answer of an MCP server of type `acp`: the result, or the error as JSON-RPC has it.
 *
 * @experimental
 */
export type McpMessageAnswer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } };
