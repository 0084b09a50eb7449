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
