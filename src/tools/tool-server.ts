import type { CallToolRequest, ServerContext } from '@modelcontextprotocol/server';
import * as v from 'valibot';
import { InvalidParamsError } from '../core/base/errors.ts';
import { isJsonObject } from '../core/base/json.ts';
import { checkOptions, oneOf, optional, optionsObject } from '../core/base/options.ts';
import { shortened } from '../core/base/printable.ts';
import type { McpServerHost, ServedMcpServer } from '../core/client/session/mcp-provider.ts';
import { type ProvidedMcpServer, provideMcpServer } from '../core/model/mcp-server.ts';
import { ToolCalls } from './calls.ts';
import type { ToolTransport } from './endpoint.ts';
import { assertName, assertTool, maxTools, type ReadyTool, readyTool } from './registry.ts';
import { type ServerParts, serveSession, toolTransports } from './server.ts';
import type { Tool, ToolProgress } from './tool.ts';

/** Options of {@link toolServer}. */
export interface ToolServerOptions<Inputs extends object = Readonly<Record<string, unknown>>> {
  /** The name under which the agent knows the server: letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  /** The version that the agent gets. Default: `1.0.0`. */
  readonly version?: string | undefined;
  /** What the tools are for together. It is for the model. */
  readonly instructions?: string | undefined;
  /** The tools, by their names: letters, digits, `_`, `-` and `.`. */
  readonly tools: { readonly [K in keyof Inputs]: Tool<Inputs[K]> };
  /**
   * The ways to the agent that may be used, the preferred one first. Default: `['acp', 'http', 'stdio']`. HTTP and stdio
   * need an agent on this machine.
   */
  readonly transports?: readonly ToolTransport[] | undefined;
}

/** Tools of the editor, as an MCP server in this process. See {@link toolServer}. */
export interface ToolServer extends ProvidedMcpServer {
  readonly name: string;
  /** How the agent of the latest session reaches the tools. `undefined` before the first session. */
  readonly transport: ToolTransport | undefined;
  /** The names of the tools, in the order in which the agent gets them. */
  readonly toolNames: readonly string[];
}

const OptionsSchema = optionsObject({
  name: v.string(),
  version: optional(v.string()),
  instructions: optional(v.string()),
  tools: v.record(v.string(), v.unknown()),
  transports: optional(v.pipe(v.array(oneOf(...toolTransports)), v.minLength(1))),
} satisfies { readonly [K in keyof Required<ToolServerOptions>]: v.GenericSchema });

/**
 * Makes tools of the editor available to agents. Pass the server in `mcpServers` of the calls that open sessions. It can
 * serve several sessions of several agents, each for itself: it begins with the session and ends with it, and moves to
 * the new process when the agent is started again.
 *
 * Needs the package `@modelcontextprotocol/server`, and `@valibot/to-json-schema` for schemas of valibot. They are loaded
 * when the first session is opened.
 *
 * @throws {@link InvalidParamsError} if an option, a name or a tool is wrong.
 *
 * @example
 * ```ts
 * const editor = toolServer({
 *   name: 'editor',
 *   tools: {
 *     open_file: {
 *       description: 'Opens a file in the editor of the user.',
 *       input: v.object({ path: v.string(), line: v.optional(v.number()) }),
 *       run: async ({ path, line }) => {
 *         await openFile(path, line);
 *         return 'Opened.';
 *       },
 *     },
 *   },
 * });
 * const session = await connection.newSession({ cwd, mcpServers: [editor] });
 * ```
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools
 */
export function toolServer<Inputs extends object>(options: ToolServerOptions<Inputs>): ToolServer {
  checkOptions('toolServer', OptionsSchema, options);
  assertName('toolServer', 'the server', options.name);
  // Each tool is checked, and its own schema gives `run` its input.
  const tools = Object.entries(options.tools as Readonly<Record<string, Tool>>);
  if (tools.length > maxTools) {
    throw new InvalidParamsError(
      `toolServer: a server can have ${maxTools} tools; got ${tools.length}. An agent gives all of them to its model. Nothing was done.`,
    );
  }
  for (const [name, tool] of tools) assertTool('toolServer', name, tool);
  return openToolServer(options, tools);
}

/** The options of a server, and a limit that only a test sets. */
type OpenOptions = Omit<ToolServerOptions, 'tools'> & { readonly maxUnreadResultBytes?: number };

/** @param tools - Tools that were checked. */
export function openToolServer(
  { name, version = '1.0.0', instructions, transports = toolTransports, maxUnreadResultBytes }: OpenOptions,
  tools: readonly (readonly [string, Tool])[],
): ToolServer {
  /** The tools, ready for use. They are made ready for the first session. */
  let ready: Promise<readonly ReadyTool[]> | undefined;
  let transport: ToolTransport | undefined;
  const about = { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) };
  return {
    name,
    toolNames: tools.map(([toolName]) => toolName),
    get transport() {
      return transport;
    },
    async [provideMcpServer](host: McpServerHost): Promise<ServedMcpServer> {
      ready ??= Promise.all(tools.map((named) => readyTool(...named)));
      const all = await ready;
      const byName = new Map(all.map((tool) => [tool.name, tool]));
      const calls = new ToolCalls(name, host, maxUnreadResultBytes);
      const create: ServerParts['create'] =
        ({ server: mcp }, { isSeparate, onTaken }) =>
        () => {
          const server = new mcp.Server({ name, version }, about);
          // The schemas of the packages of MCP check both answers.
          server.setRequestHandler('tools/list', () => ({ tools: all.map(({ listed }) => listed) as never }));
          server.setRequestHandler('tools/call', async ({ params }, context) => {
            const tool = byName.get(params.name);
            if (!tool) {
              const got = JSON.stringify(shortened(params.name, 100));
              throw new mcp.ProtocolError(
                mcp.ProtocolErrorCode.InvalidParams,
                `There is no tool ${got}. List the tools again.`,
              );
            }
            const taken = (listener: () => void) => onTaken(context, listener);
            const call = { tool, isSeparate, onTaken: taken, ...callOf(params, context) };
            return (await calls.run(call)) as never;
          });
          return server;
        };
      const served = await serveSession({ name, transports, create, calls }, host);
      transport = served.transport;
      return served;
    },
  };
}

function callOf({ arguments: input = {} }: CallToolRequest['params'], { mcpReq }: ServerContext) {
  const meta: unknown = mcpReq._meta;
  const progressToken = mcpReq._meta?.progressToken;
  return {
    input,
    meta: isJsonObject(meta) ? meta : undefined,
    signal: mcpReq.signal,
    progress: (progress: ToolProgress) => {
      if (progressToken === undefined) return;
      const params = { progressToken, ...progress };
      // The connection may have ended, which the signal says.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}
