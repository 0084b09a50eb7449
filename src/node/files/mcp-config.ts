import { homedir } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { InvalidParamsError } from '../../core/base/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import type { McpServerConfig } from '../../core/model/mcp-server.ts';
import { editorEnvironment } from '../environment/editor-variables.ts';
import { variableIn } from '../environment/merge.ts';
import { installedProgram } from '../process/program-path.ts';
import { jsonInput } from './json-input.ts';

/** Options of {@link mcpServersFromConfig}. */
export interface McpConfigOptions {
  /** The directory of the project, for `${workspaceFolder}` and relative commands. Absolute. Default: none. */
  readonly workspaceFolder?: string | undefined;
  /** The values of `${input:…}`, by their ids. Ask the user for them. Default: none. */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
  /**
   * The environment for `${env:…}`, and for the lookup of commands in PATH. Default: {@link editorEnvironment}, which
   * agents inherit.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** MCP servers of a configuration. */
export interface McpConfig {
  /** The servers in the order of the configuration, to pass to `newSession`. */
  readonly servers: readonly McpServerConfig[];
  /** The servers that cannot be passed on, each with the reason, as one sentence for the user. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * Reads the MCP servers of a configuration that other programs use: an object with `mcpServers`, as many agents
 * and editors write it, or with `servers`, as `mcp.json` of VS Code.
 *
 * Commands are looked up in PATH, because the protocol requires absolute paths. The variables `${env:NAME}`, `${NAME}`,
 * `${NAME:-default}`, `${workspaceFolder}`, `${userHome}` and `${input:id}` are replaced. A server that is disabled, or
 * that cannot be expressed in the protocol, is skipped.
 *
 * @param config - The path of a JSON file, with or without comments, or its content as an object.
 * @throws {@link InvalidParamsError} if the file cannot be read, or has neither `mcpServers` nor `servers`.
 *
 * @example
 * ```ts
 * const { servers, skipped } = await mcpServersFromConfig('/home/user/project/.mcp.json');
 * for (const { name, reason } of skipped) console.warn(`${name}: ${reason}`);
 * ```
 * @see https://agentclientprotocol.com/protocol/session-setup#mcp-servers
 */
export async function mcpServersFromConfig(
  config: string | JsonObject,
  options: McpConfigOptions = {},
): Promise<McpConfig> {
  const content = await jsonInput('mcpServersFromConfig', config, 'JSON file', parseJsonWithComments);
  const list = isJsonObject(content) ? (content['mcpServers'] ?? content['servers']) : undefined;
  if (!isJsonObject(list)) {
    const what = typeof config === 'string' ? `The file ${config}` : 'The configuration';
    throw new InvalidParamsError(
      `mcpServersFromConfig: ${what} has neither mcpServers nor servers, each an object of servers by their names. Pass a configuration that has one of them.`,
    );
  }
  const servers: McpServerConfig[] = [];
  const skipped: { name: string; reason: string }[] = [];
  for (const [name, entry] of Object.entries(list)) {
    try {
      servers.push(serverOf(name, entry, options));
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      skipped.push({ name, reason: error.message });
    }
  }
  return { servers, skipped };
}

/** Why a server is skipped. It does not leave this file. */
class Skipped extends Error {}

/** Spellings of the transports. The protocol has the first of each. */
const transports: Readonly<Record<string, 'stdio' | 'http' | 'sse'>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  remote: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
};

/** Fields that change how a server is started, and that the protocol cannot carry. */
const notCarried: Readonly<Record<string, string>> = {
  cwd: 'The agent starts the server in a directory of its choice, and the configuration requires one (cwd).',
  envFile: 'The configuration reads variables from a file (envFile). Write them into env.',
};

function serverOf(name: string, entry: unknown, options: McpConfigOptions): McpServerConfig {
  if (!isJsonObject(entry)) throw new Skipped('Its configuration is not an object.');
  if (entry['disabled'] === true || entry['enabled'] === false) throw new Skipped('It is disabled.');
  const url = entry['url'] ?? entry['httpUrl'] ?? entry['serverUrl'];
  const given = entry['type'] ?? entry['transport'] ?? (url === undefined ? 'stdio' : 'http');
  const type = transports[String(given)];
  if (!type || !Object.hasOwn(transports, String(given))) {
    throw new Skipped(`Its transport ${JSON.stringify(given)} is not stdio, http or sse.`);
  }
  if (type !== 'stdio') {
    if (typeof url !== 'string' || url === '') throw new Skipped('It has no url.');
    return { type, name, url: expand(url, options), headers: pairs(entry['headers'], options) };
  }
  for (const [field, reason] of Object.entries(notCarried)) {
    if (entry[field] !== undefined) throw new Skipped(reason);
  }
  const { command, args = [] } = entry;
  if (typeof command !== 'string' || command === '') throw new Skipped('It has no command.');
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    throw new Skipped('Its args are not a list of strings.');
  }
  return {
    name,
    command: absoluteCommand(expand(command, options), options),
    args: args.map((arg) => expand(arg, options)),
    env: pairs(entry['env'], options),
  };
}

function pairs(value: unknown, options: McpConfigOptions): { name: string; value: string }[] {
  if (value === undefined || value === null) return [];
  if (!isJsonObject(value)) throw new Skipped('Its env or its headers are not an object.');
  return Object.entries(value).flatMap(([name, text]) => {
    // A variable that is null is not set.
    if (text === null) return [];
    return { name, value: expand(String(text), options) };
  });
}

function absoluteCommand(command: string, options: McpConfigOptions): string {
  const { workspaceFolder, env = editorEnvironment() } = options;
  if (isAbsolute(command)) return command;
  const isPath = /[\\/]/.test(command);
  if (isPath && workspaceFolder === undefined) {
    throw new Skipped(`Its command ${command} is relative, and no workspaceFolder was passed.`);
  }
  if (isPath) return resolve(workspaceFolder ?? '', command);
  const found = installedProgram(command, env);
  if (found === undefined) throw new Skipped(`Its command ${command} is not in a directory of PATH.`);
  return found;
}

/** Replaces variables in a text. */
function expand(text: string, options: McpConfigOptions): string {
  const { workspaceFolder, inputs = {}, env = editorEnvironment() } = options;
  return text.replaceAll(/\$\{([^${}]*)\}/g, (whole, name: string) => {
    const [, kind, id = ''] = /^(env|input):(.*)$/.exec(name) ?? [];
    if (kind === 'input') return present(Object.hasOwn(inputs, id) ? inputs[id] : undefined, whole);
    if (kind === 'env') return variableIn(env, id) ?? '';
    if (name === 'workspaceFolder') return present(workspaceFolder, whole);
    if (name === 'userHome') return homedir();
    const [, variable = '', defaultValue] = /^(\w+)(?::-(.*))?$/.exec(name) ?? [];
    return present(variableIn(env, variable) ?? defaultValue, whole);
  });
}

function present(value: string | undefined, variable: string): string {
  if (value === undefined) throw new Skipped(`The variable ${variable} has no value.`);
  return value;
}

/** Parses JSON that may have comments and trailing commas, as the configuration files of editors do. */
export function parseJsonWithComments(text: string): unknown {
  // Strings are matched too, so that what looks like a comment in a string stays.
  const withoutComments = text
    .replace(/^\uFEFF/, '')
    .replaceAll(
      /("(?:\\.|[^"\\])*"?)|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g,
      (_, string?: string) => string ?? ' ',
    );
  const withoutCommas = withoutComments.replaceAll(
    /("(?:\\.|[^"\\])*"?)|,(?=\s*[}\]])/g,
    (_, string?: string) => string ?? '',
  );
  return JSON.parse(withoutCommas);
}
