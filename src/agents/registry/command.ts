import { join } from 'node:path';
import { InvalidParamsError } from '../../core/base/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { editorEnvironment } from '../../node/environment/editor-variables.ts';
import type { Variables } from '../../node/environment/merge.ts';
import { jsonInput } from '../../node/files/json-input.ts';
import type { AgentCommand } from '../../node/process/node-command.ts';
import { installedProgram } from '../../node/process/program-path.ts';
import { type AgentRegistry, entriesOf, type RegistryAgent, readEntries } from './content.ts';

/** Options of {@link registeredAgentCommand}. */
export interface RegisteredAgentOptions {
  /** The directory into which you unpacked the agent's archive. Absolute. Default: only PATH is searched. */
  readonly directory?: string | undefined;
  /**
   * The environment whose PATH is used to look up programs. Default: {@link editorEnvironment}, which agents inherit.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Returns the start command of an agent of the ACP registry, for `spawnAgent`. Uses the agent's program if it is
 * installed, otherwise `npx` or `uvx`, with the package in the version of the registry: a package without a version, or
 * with `@latest`, gets it. Does not download anything itself; `npx` and `uvx` download the package when they start it.
 *
 * @param registry - What {@link registry} resolved with, the path of a registry file (`registry.json` or the
 *   `agent.json` of one agent), or the content of such a file.
 * @param id - The agent's id in the registry.
 * @throws {@link InvalidParamsError} if the registry cannot be read, does not have the agent, or has no distribution
 *   that this machine can start. The message says what to install.
 *
 * @example
 * ```ts
 * const agents = await registry({ url: publishedRegistryUrl, cacheFolder });
 * const agent = spawnAgent({ ...(await registeredAgentCommand(agents, 'some-agent')), cwd });
 * ```
 * @see https://github.com/agentclientprotocol/registry
 */
export async function registeredAgentCommand(
  registry: AgentRegistry | string | JsonObject,
  id: string,
  options: RegisteredAgentOptions = {},
): Promise<AgentCommand> {
  const content = await jsonInput('registeredAgentCommand', registry, 'registry file', JSON.parse);
  const found = entryCommand(findEntry(content, id), options.env ?? editorEnvironment(), options.directory);
  if (typeof found === 'object') return found;
  throw new InvalidParamsError(`registeredAgentCommand: the agent ${id} cannot be started here. ${found}`);
}

/** The start command of an entry, or what is missing here, as sentences. */
export function entryCommand(
  entry: RegistryAgent,
  env: Variables,
  directory?: string | undefined,
): AgentCommand | string {
  const found = [
    programCommand(entry, env, directory),
    packageCommand(entry, 'npx', env),
    packageCommand(entry, 'uvx', env),
  ].filter((each) => each !== undefined);
  const command = found.find((each) => typeof each === 'object');
  return command ?? (found.join(' ') || 'The registry has no distribution for it.');
}

function findEntry(content: unknown, id: string): RegistryAgent {
  const { agents, problems } = readEntries(entriesOf(content) ?? []);
  const found = agents.find((agent) => agent.id === id);
  if (found) return found;
  // What `registry` left out.
  const leftOut = isJsonObject(content) && Array.isArray(content['problems']) ? content['problems'] : [];
  const problem = [...problems, ...leftOut.filter(isJsonObject)].find(({ entry }) => entry === id);
  if (problem) {
    throw new InvalidParamsError(
      `registeredAgentCommand: the entry of ${id} is not one of the registry: ${problem.message}. Pass another registry, or tell the author of the entry.`,
    );
  }
  const ids = agents.map((agent) => agent.id).join(', ');
  const known = ids === '' ? 'It has no agents: pass a registry file.' : `It has ${ids}.`;
  throw new InvalidParamsError(
    `registeredAgentCommand: the registry has no agent ${JSON.stringify(id)}. ${known}`,
  );
}

/** A text says what is missing; `undefined`: the agent does not have this distribution. */
type Found = AgentCommand | string | undefined;

function programCommand(
  { distribution: { binary } }: RegistryAgent,
  env: Variables,
  directory: string | undefined,
): Found {
  if (!binary) return undefined;
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const architectures: Readonly<Record<string, string>> = { arm64: 'aarch64', x64: 'x86_64' };
  const platform = `${system}-${architectures[process.arch] ?? process.arch}`;
  // The schema has the platforms of the registry, and Node runs on others.
  const target = Object.entries(binary).find(([name]) => name === platform)?.[1];
  if (!target) return `It has no program for ${platform}.`;
  const { archive, cmd, args = [], env: changes = {} } = target;
  const name = cmd.split(/[\\/]/).at(-1) ?? cmd;
  const command =
    (directory === undefined ? undefined : installedProgram(join(directory, cmd), env)) ??
    installedProgram(name, env);
  if (command !== undefined) return { command, args, env: changes };
  const searched = directory === undefined ? 'a directory of PATH' : `${directory} or a directory of PATH`;
  return `Its program ${name} is not in ${searched}: download and unpack ${archive} there.`;
}

/**
 * Programs that download a package and start it: their first arguments, what the user installs to have them, and what
 * stands between the name of a package and its version.
 */
const runners = {
  npx: { first: ['-y'], program: 'Node', separator: '@' },
  uvx: { first: [], program: 'uv', separator: '==' },
} as const;

function packageCommand({ version, ...entry }: RegistryAgent, command: 'npx' | 'uvx', env: Variables): Found {
  const distribution = entry.distribution[command];
  if (!distribution) return undefined;
  const { first, program, separator } = runners[command];
  if (installedProgram(command, env) === undefined) {
    return `It needs ${command}, which is not in a directory of PATH: install ${program}.`;
  }
  const { package: given, args = [], env: changes = {} } = distribution;
  return { command, args: [...first, pinned(given, separator, version), ...args], env: changes };
}

/** The package in the version of the registry. A version in the package itself stays. */
function pinned(given: string, separator: string, version: string | undefined): string {
  const name = given.replace(/@latest$/i, '');
  const hasVersion = /.[@=]/.test(name);
  return version === undefined || hasVersion ? given : name + separator + version;
}
