import type { McpMessage } from '../../model/mcp-server.ts';
import * as rpcCodes from '../../rpc/codes.ts';
import { RequestError } from '../../rpc/request-error.ts';
import type { ProvidedServers } from '../session/provided-servers.ts';
import { type RequestService, runHandler } from './context.ts';

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
