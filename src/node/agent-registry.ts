import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { errorMessage } from '../diagnostic.ts';
import { InvalidParamsError } from '../errors.ts';
import { issuesOf, listed } from '../issue.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { installedProgram } from './program-path.ts';

/** Options of {@link registeredAgentCommand}. */
export interface RegisteredAgentOptions {
  /** The directory into which you unpacked the agent's archive. Absolute. Default: only PATH is searched. */
  readonly directory?: string | undefined;
  /** The environment whose PATH is used to look up programs. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The command that starts an agent, as `spawnAgent` takes it. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const launch = { args: v.optional(v.array(v.string())), env: v.optional(v.record(v.string(), v.string())) };
const packaged = v.optional(v.object({ package: v.string(), ...launch }));
const entrySchema = v.object({
  id: v.string(),
  distribution: v.object({
    binary: v.optional(v.record(v.string(), v.object({ archive: v.string(), cmd: v.string(), ...launch }))),
    npx: packaged,
    uvx: packaged,
  }),
});
type Entry = v.InferOutput<typeof entrySchema>;

/**
 * Returns the start command of an agent of the ACP registry, for `spawnAgent`. Uses the agent's program if it is
 * installed, otherwise `npx` or `uvx`. Does not download anything itself; `npx` and `uvx` download the package when
 * they start it.
 *
 * @param registry - The path of a registry file (`registry.json` or the `agent.json` of one agent), or its content.
 * @param id - The agent's id in the registry.
 * @throws {@link InvalidParamsError} if the registry cannot be read, does not have the agent, or has no distribution that
 *   this machine can start. The message says what to install.
 *
 * @example
 * ```ts
 * const agent = spawnAgent({ ...(await registeredAgentCommand('/path/to/registry.json', 'gemini')), cwd });
 * ```
 * @see https://github.com/agentclientprotocol/registry
 */
export async function registeredAgentCommand(
  registry: string | JsonObject,
  id: string,
  options: RegisteredAgentOptions = {},
): Promise<AgentCommand> {
  const content = typeof registry === 'string' ? await read(registry) : registry;
  const entry = findEntry(content, id);
  const env = options.env ?? process.env;
  const missing: string[] = [];
  for (const distribution of ['binary', 'npx', 'uvx'] as const) {
    const found = finders[distribution](entry, env, options.directory);
    if (typeof found === 'object') return found;
    if (found !== undefined) missing.push(found);
  }
  const reasons = missing.length === 0 ? 'The registry has no distribution for it.' : missing.join(' ');
  throw new InvalidParamsError(`registeredAgentCommand: the agent ${id} cannot be started here. ${reasons}`);
}

async function read(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new InvalidParamsError(
      `registeredAgentCommand: the file ${path} cannot be read: ${errorMessage(error)}. Pass the path of a registry file.`,
      { cause: error },
    );
  }
}

function findEntry(content: unknown, id: string): Entry {
  const agents = isJsonObject(content) ? (content['agents'] ?? [content]) : [];
  const entries = Array.isArray(agents) ? agents.filter(isJsonObject) : [];
  const found = entries.find((entry) => entry['id'] === id);
  if (!found) {
    const ids = entries.map((entry) => entry['id']).filter((other) => typeof other === 'string');
    const known = ids.length === 0 ? 'It has no agents: pass a registry file.' : `It has ${ids.join(', ')}.`;
    throw new InvalidParamsError(
      `registeredAgentCommand: the registry has no agent ${JSON.stringify(id)}. ${known}`,
    );
  }
  const result = v.safeParse(entrySchema, found);
  if (result.success) return result.output;
  const issues = issuesOf(result.issues, 'agent');
  throw new InvalidParamsError(
    `registeredAgentCommand: the entry of ${id} is not one of the registry: ${listed(issues)}. Pass another registry file.`,
    { issues },
  );
}

type Environment = Readonly<Record<string, string | undefined>>;

/** How each distribution is started. A text says what is missing; `undefined`: the agent does not have it. */
const finders: Readonly<
  Record<
    keyof Entry['distribution'],
    (entry: Entry, env: Environment, directory: string | undefined) => AgentCommand | string | undefined
  >
> = {
  binary({ distribution: { binary } }, env, directory) {
    if (!binary) return undefined;
    const platform = platformName();
    const target = binary[platform];
    if (!target) return `It has no program for ${platform}.`;
    const { archive, cmd, args = [], env: changes = {} } = target;
    const name = cmd.split(/[\\/]/).at(-1) ?? cmd;
    const command =
      (directory === undefined ? undefined : installedProgram(join(directory, cmd), env)) ??
      installedProgram(name, env);
    if (command !== undefined) return { command, args, env: changes };
    const searched = directory === undefined ? 'a directory of PATH' : `${directory} or a directory of PATH`;
    return `Its program ${name} is not in ${searched}: download and unpack ${archive}, and pass its directory.`;
  },
  npx: ({ distribution: { npx } }, env) => packageCommand(npx, 'npx', ['-y'], 'Node', env),
  uvx: ({ distribution: { uvx } }, env) => packageCommand(uvx, 'uvx', [], 'uv', env),
};

function packageCommand(
  distribution: Entry['distribution']['npx'],
  command: string,
  first: readonly string[],
  program: string,
  env: Environment,
): AgentCommand | string | undefined {
  if (!distribution) return undefined;
  if (installedProgram(command, env) === undefined) {
    return `It needs ${command}, which is not in a directory of PATH: install ${program}.`;
  }
  const { package: name, args = [], env: changes = {} } = distribution;
  return { command, args: [...first, name, ...args], env: changes };
}

/** This machine in the names of the registry, such as `linux-x86_64`. */
function platformName(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const architectures: Readonly<Record<string, string>> = { arm64: 'aarch64', x64: 'x86_64' };
  return `${system}-${architectures[process.arch] ?? process.arch}`;
}
