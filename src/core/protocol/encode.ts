import { isJsonObject } from '../base/json.ts';
import type { McpServerConfig } from '../model/mcp-server.ts';
import type {
  ForkSessionParams,
  InitialConfigOption,
  NewSessionParams,
  PromptParams,
  SessionOptionsParams,
} from './calls.ts';

/** Encodes parameters of the version-neutral model for the wire, where both versions agree. */

/** Encodes the objects of a list. Any other value goes to the schema as it is, which rejects it. */
function encodeEach<T>(list: readonly T[] | undefined, encode: (item: T) => unknown): unknown {
  return Array.isArray(list) ? list.map((item: T) => (isJsonObject(item) ? encode(item) : item)) : list;
}

/** A copy of the object without the keys whose value is `undefined`. */
export function omitUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The copy has a subset of the entries.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never;
}

/**
 * The parameters that open a session. An empty list of servers is sent, because some agents require the key. An empty
 * list of directories is not sent, because older agents reject the key.
 */
export function openParams(
  params: NewSessionParams<McpServerConfig> & Partial<ForkSessionParams<McpServerConfig>>,
  encodeServer: (server: McpServerConfig) => unknown,
  encodeOption: (option: InitialConfigOption) => unknown,
): object {
  const { sessionId, cursorId, cwd, mcpServers = [], systemPrompt, configOptions, _meta } = params;
  return omitUndefined({
    sessionId,
    cursorId,
    cwd,
    mcpServers: encodeEach(mcpServers, encodeServer),
    additionalDirectories: extraDirectories(cwd, params.additionalDirectories),
    systemPrompt,
    configOptions: encodeEach(configOptions, encodeOption),
    _meta,
  });
}

/** The parameters of the question what a session would start with. */
export function optionsParams({ sessionId, cwd, additionalDirectories, _meta }: SessionOptionsParams) {
  return omitUndefined({
    sessionId,
    cwd,
    additionalDirectories: extraDirectories(cwd, additionalDirectories),
    _meta,
  });
}

/** The directories without duplicates and without `cwd`. `undefined` if none remain. */
function extraDirectories(cwd: string, directories: readonly string[] = []): readonly string[] | undefined {
  if (!Array.isArray(directories)) return directories;
  const extra = [...new Set(directories)].filter((directory) => directory !== cwd);
  return extra.length > 0 ? extra : undefined;
}

/** An MCP server without its `type`. Empty lists are sent, because some agents require the keys. */
export function serverParams({ type, ...server }: McpServerConfig): object {
  if (type === undefined || type === 'stdio') return { args: [], env: [], ...omitUndefined(server) };
  if (type === 'http' || type === 'sse') return { headers: [], ...omitUndefined(server) };
  return omitUndefined(server);
}

export function promptParams({ sessionId, prompt, _meta }: PromptParams) {
  return omitUndefined({ sessionId, prompt, _meta });
}
