import { isJsonObject } from '../json.ts';
import type {
  Calls,
  ListSessionsParams,
  McpServer,
  NewSessionParams,
  OpenSessionParams,
  PromptParams,
} from './calls.ts';

/** What both versions do to get from neutral parameters to the wire. */

/** The object without the keys that hold `undefined`. */
export function present<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The keys that are left hold what they held.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never;
}

/**
 * The parameters with which a session is opened. An empty list of servers is sent, for the agents that require the
 * key; of the directories only those that say something: old agents refuse the key.
 */
export function openParams(
  params: NewSessionParams & Partial<OpenSessionParams>,
  encodeServer: (server: McpServer) => unknown,
): object {
  const { sessionId, cwd, mcpServers = [], systemPrompt, _meta } = params;
  return present({
    sessionId,
    cwd,
    // What is no list, or no server, is left for the schema to refuse.
    mcpServers: Array.isArray(mcpServers)
      ? mcpServers.map((server: McpServer) => (isServer(server) ? encodeServer(server) : server))
      : mcpServers,
    additionalDirectories: rootsBeside(cwd, params.additionalDirectories),
    systemPrompt,
    _meta,
  });
}

function isServer(server: unknown): server is McpServer {
  return isJsonObject(server);
}

/** Without duplicates, and without the working directory itself. */
function rootsBeside(cwd: string, directories: readonly string[] = []): readonly string[] | undefined {
  if (!Array.isArray(directories)) return directories;
  const roots = [...new Set(directories)].filter((directory) => directory !== cwd);
  return roots.length > 0 ? roots : undefined;
}

/** An MCP server with the lists that some agents require even where they are empty, and without its `type`. */
export function serverParams({ type, ...server }: McpServer): object {
  if (type === undefined || type === 'stdio') return { args: [], env: [], ...present(server) };
  if (type === 'http' || type === 'sse') return { headers: [], ...present(server) };
  return present(server);
}

export function listParams({ cwd, cursor, archived, _meta }: ListSessionsParams) {
  return present({ cwd, cursor, archived, _meta });
}

export function promptParams({ sessionId, prompt, _meta }: PromptParams) {
  return present({ sessionId, prompt, _meta });
}

export function providerParams({ providerId, apiType, baseUrl, headers }: Calls['setProvider'][0]) {
  return present({ providerId, apiType, baseUrl, headers });
}
