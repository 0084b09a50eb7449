import type { McpServerFactory } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { callback, checkOptions, oneOf, optional, optionsObject } from '../core/base/options.ts';
import type { McpServerHost } from '../core/client/session/mcp-provider.ts';
import type { Session } from '../core/client/session/session.ts';
import { type ProvidedMcpServer, provideMcpServer } from '../core/model/mcp-server.ts';
import type { ToolTransport } from './endpoint.ts';
import { assertName } from './registry.ts';
import { serveSession, toolTransports } from './server.ts';

/** An `McpServer` or a `Server` of `@modelcontextprotocol/server`. */
export interface McpServerObject {
  /** Begins to serve one connection. */
  connect(transport: never): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** What an MCP server is made with. */
export interface McpServerContext {
  /** Resolves when the agent has opened the session. Rejects if it did not. Do not await it before you return. */
  readonly session: Promise<Session>;
}

/** Options of {@link mcpServer}. */
export interface McpServerOptions {
  /** The name under which the agent knows the server: letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  /**
   * Makes the server. It is called for each connection of the agent, and for each request of a newer version of MCP: do
   * what takes long outside of it.
   */
  readonly create: (context: McpServerContext) => McpServerObject | Promise<McpServerObject>;
  /** As for `toolServer`. Default: `['acp', 'http', 'stdio']`. */
  readonly transports?: readonly ToolTransport[] | undefined;
}

const OptionsSchema = optionsObject({
  name: v.string(),
  create: callback,
  transports: optional(v.pipe(v.array(oneOf(...toolTransports)), v.minLength(1))),
} satisfies { readonly [K in keyof Required<McpServerOptions>]: v.GenericSchema });

/**
 * Makes an MCP server that you have already available to agents, with its tools, resources and prompts, in the ways of
 * {@link toolServer}. It needs the package `@modelcontextprotocol/server`, with which the server is made.
 *
 * @throws {@link InvalidParamsError} if an option is wrong.
 *
 * @example
 * ```ts
 * const notes = mcpServer({ name: 'notes', create: () => createNotesServer() });
 * const session = await connection.newSession({ cwd, mcpServers: [notes] });
 * ```
 */
export function mcpServer(options: McpServerOptions): ProvidedMcpServer {
  checkOptions('mcpServer', OptionsSchema, options);
  const { name, create, transports = toolTransports } = options;
  assertName('mcpServer', 'the server', name);
  return Object.freeze({
    name,
    [provideMcpServer]: (host: McpServerHost) => {
      // The type of the option names the two methods that are used, so that it needs no package.
      const factory: McpServerFactory = () => create({ session: host.session }) as never;
      return serveSession({ name, transports, create: () => factory }, host);
    },
  });
}
