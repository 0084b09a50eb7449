import { isJsonObject, omitNullish } from '../../base/json.ts';
import type { McpMessage } from '../../model/mcp-server.ts';
import * as rpcCodes from '../../rpc/codes.ts';
import { RequestError } from '../../rpc/request-error.ts';
import type { ProvidedServers } from '../session/provided-servers.ts';
import type { SessionRegistry } from '../session/registry.ts';
import {
  handlerContext,
  handleUnlessWithdrawn,
  notOffered,
  type RequestContext,
  type RequestService,
  runHandler,
} from './context.ts';
import type { ClientHandlers } from './handlers.ts';

/** @see https://agentclientprotocol.com/protocol/file-system */
export const readTextFile: RequestService = {
  isOffered: ({ readTextFile }) => readTextFile !== undefined,
  handler: 'readTextFile',
  needsSession: true,
  serve: (context: RequestContext) =>
    runHandler<{ path: string; line?: number | null; limit?: number | null }>(
      context,
      ({ path, line, limit }) => {
        const request = { path, ...omitNullish({ line, limit }) };
        return context.handlers.readTextFile?.(request, handlerContext(context));
      },
    ),
};

/** @see https://agentclientprotocol.com/protocol/file-system */
export const writeTextFile: RequestService = {
  isOffered: ({ writeTextFile }) => writeTextFile !== undefined,
  handler: 'writeTextFile',
  needsSession: true,
  serve: (context: RequestContext) =>
    runHandler<{ path: string; content: string }>(context, async ({ path, content }) => {
      await context.handlers.writeTextFile?.({ path, content }, handlerContext(context));
      return {};
    }),
};

/**
 * Messages for an MCP server that the editor provides: to the server of that id, or else to the editor's own handler.
 *
 * @see https://agentclientprotocol.com/rfds/mcp-over-acp
 */
export function mcpMessageService(servers: ProvidedServers): RequestService {
  return {
    isOffered: ({ mcpMessage }) => mcpMessage !== undefined || servers.areUsed,
    handler: 'mcpMessage',
    needsSession: false,
    serve: (context) => {
      const { handlers, signal } = context;
      return runHandler<McpMessage>(context, (message) => {
        const served = servers.find(message.serverId);
        if (served?.serve) return served.serve(message, context);
        if (handlers.mcpMessage) return handlers.mcpMessage(message, { signal });
        throw new RequestError(rpcCodes.mcpServerUnavailable, 'There is no such MCP server, or no longer.', {
          serverId: message.serverId,
        });
      });
    },
  };
}

/** The handler of an extension method. Inherited properties do not count, whatever name the agent calls. */
export function extensionHandler({ extensions }: ClientHandlers, method: string) {
  if (!extensions || !Object.hasOwn(extensions, method)) return undefined;
  return extensions[method as `_${string}`];
}

/** Methods outside the protocol. */
export const extension: RequestService = {
  isOffered: () => true,
  handler: 'extensions',
  needsSession: false,
  async serve(context: RequestContext) {
    const { method, params, signal, handlers, registered, report } = context;
    const handler = extensionHandler(handlers, method);
    if (!handler) {
      const message = `The agent called ${method}, for which there is no handler. It was answered with error -32601.`;
      report({ rule: 'rpc.unknown_request', severity: 'info', message });
      throw notOffered(method);
    }
    await Promise.resolve();
    return handleUnlessWithdrawn(context, async () =>
      handler(params, { session: registered?.session, signal }),
    );
  },
};

/** Runs the handler of an extension notification, if there is one. */
export function notifyExtension(
  handlers: ClientHandlers,
  registry: SessionRegistry,
  method: string,
  params: unknown,
): (() => unknown) | undefined {
  const handler = extensionHandler(handlers, method);
  if (!handler) return undefined;
  const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
  return () => {
    const session = typeof sessionId === 'string' ? registry.find(sessionId)?.session : undefined;
    return handler(params, { session, signal: new AbortController().signal });
  };
}
