import { tmpdir } from 'node:os';
import { InvalidParamsError } from '../core/base/errors.ts';
import { callback, checkOptions, optional, optionsObject } from '../core/base/options.ts';
import { clientInfoOption } from '../core/client/connect.ts';
import type { Implementation } from '../core/model/session.ts';
import type { AuthMethod } from '../core/protocol/dialect.ts';
import type { Transport } from '../core/transport/transport.ts';
import { editorEnvironment } from '../node/environment/editor-variables.ts';
import type { AgentCommand } from '../node/process/node-command.ts';
import { absolutePath, environment } from '../node/process/options.ts';
import { terminalLoginCommand } from '../node/terminals/terminal-login.ts';
import { agentNamed } from './find.ts';
import type { LoginState } from './probe/login.ts';
import { probeAgent } from './probe/probe.ts';
import { publishedRegistryUrl } from './registry/address.ts';
import { entryCommand } from './registry/command.ts';
import type { RegistryAgent } from './registry/content.ts';
import { registry, snapshot } from './registry/open.ts';
import { spawnAgent } from './spawn-agent.ts';
import { installedAgent, testedAgent } from './tested-agents.ts';

/** Options of {@link knownAgents}. */
export interface KnownAgentsOptions {
  /**
   * Starts an agent with its command: {@link spawnAgent} with a directory. Default: {@link spawnAgent}, in the working
   * directory of the process.
   */
  readonly start?: ((command: AgentCommand) => Transport) | undefined;
  /**
   * The directory of the copy of the published registry, as for {@link registry}: it is fetched once a day. If that
   * fails, the list has the last copy, or the snapshot that this package contains. Default: nothing is fetched, and the
   * list has the snapshot.
   */
  readonly cacheFolder?: string | undefined;
  /** Name and version of the editor, for the look-up of an agent. Default: those of {@link probeAgent}. */
  readonly clientInfo?: Implementation | undefined;
  /** The environment whose PATH is used to look up programs. Default: {@link editorEnvironment}. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** An agent of {@link knownAgents}: one of the `agents` of `servePanel` and `agentView`. */
export interface KnownAgent {
  /** Its id in the registry. */
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
  /** The version with which this package was tested. */
  readonly testedVersion: string | undefined;
  /** Whether its program is in a directory of PATH. */
  readonly isInstalled: boolean;
  /** The command line that installs it. `undefined` if it is installed, and if there is none. */
  readonly installCommand: string | undefined;
  /** For the user: that the start downloads it, or why it cannot be started. */
  readonly note: string | undefined;
  /** The commands that log in, for a terminal. Empty if none is known. Show them, and do not run them. */
  readonly loginCommands: readonly string[];
  /** The environment variables of which one can hold its key. Empty if none is known. */
  readonly keyVariables: readonly string[];
  /** A page about the agent. */
  readonly website: string | undefined;
  /** The command that starts it. `undefined` if it cannot be started here: `note` says why. */
  readonly command: AgentCommand | undefined;
  /** @throws {@link InvalidParamsError} if it cannot be started here. */
  readonly start: () => Transport;
  /** Starts it, looks at what it says of its login, and ends it, with {@link probeAgent}. No session is opened. */
  readonly probe: (signal: AbortSignal) => Promise<{
    readonly isInstalled: boolean;
    readonly login: 'loggedIn' | 'needed' | 'unknown';
    readonly version: string | undefined;
  }>;
  /** The program of a login of type `terminal`. */
  readonly terminalLogin: (method: AuthMethod) => ReturnType<typeof terminalLoginCommand>;
}

/** A day, in milliseconds. */
const maxAgeMs = 24 * 60 * 60 * 1000;
/** How long the user may wait for the list, in milliseconds. */
const fetchTimeoutMs = 5000;

/**
 * The agents that the user can choose from: those of the published registry or of its snapshot, and those that this
 * package was tested with. Those that are installed come first, then those that were tested.
 *
 * Nothing is started, and nothing but the registry is fetched. An agent that is not installed is started with `npx` or
 * `uvx`, which download it: `note` says so.
 *
 * @throws {@link InvalidParamsError} if an option is wrong.
 *
 * @example
 * ```ts
 * const agents = () => knownAgents({ start: (command) => spawnAgent({ ...command, cwd }), cacheFolder });
 * const panel = servePanel({ agents, connect: { clientInfo }, workspace: () => ({ cwd }) });
 * ```
 */
export async function knownAgents(options: KnownAgentsOptions = {}): Promise<readonly KnownAgent[]> {
  checkOptions('knownAgents', schema(), options);
  const { cacheFolder } = options;
  const contained = await snapshot();
  const limits = { maxAgeMs, timeoutMs: fetchTimeoutMs };
  const { agents: listed } =
    cacheFolder === undefined
      ? contained
      : await registry({ url: publishedRegistryUrl, cacheFolder, ...limits });
  const ids = new Set(listed.map(({ id }) => id));
  const others = contained.agents.filter(({ id }) => testedAgent(id) && !ids.has(id));
  const known = [...listed, ...others].map((entry) => knownAgent(entry, options));
  const rank = ({ isInstalled, testedVersion }: KnownAgent) =>
    (isInstalled ? 0 : 2) + (testedVersion === undefined ? 1 : 0);
  return known.sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

function knownAgent(
  entry: RegistryAgent,
  { start = spawnAgent, clientInfo, env = editorEnvironment() }: KnownAgentsOptions,
): KnownAgent {
  const { command, ...place } = findAgent(entry, env);
  const { loginCommands = [], keyVariables = [] } = agentNamed([entry.id]) ?? {};
  const toStart = () => {
    if (command) return command;
    throw new InvalidParamsError(`${entry.name} cannot be started here. ${place.note}`);
  };
  return {
    id: entry.id,
    name: entry.name,
    description: entry.description,
    testedVersion: testedAgent(entry.id)?.version,
    website: entry.website,
    loginCommands,
    keyVariables,
    command,
    ...place,
    start: () => start(toStart()),
    async probe(signal) {
      // The agent sees no directory of the user before it is chosen.
      const { found, login, version } = await probeAgent(
        { ...toStart(), cwd: tmpdir() },
        { session: 'skip', terminalLogin: true, clientInfo, signal },
      );
      return { isInstalled: found, login: logins[login], version };
    },
    terminalLogin: (method) => terminalLoginCommand(toStart(), method),
  };
}

const logins = { yes: 'loggedIn', no: 'needed', unknown: 'unknown' } as const satisfies Record<
  LoginState,
  string
>;

type Place = Pick<KnownAgent, 'command' | 'isInstalled' | 'installCommand' | 'note'>;

/** Finds the program of an agent, or what downloads it. */
function findAgent(entry: RegistryAgent, env: NonNullable<KnownAgentsOptions['env']>): Place {
  const command = installedAgent(entry, env) ?? entryCommand(entry, env);
  if (typeof command === 'string') {
    return { command: undefined, isInstalled: false, installCommand: undefined, note: command };
  }
  const install = installers[command.command];
  if (!install) return { command, isInstalled: true, installCommand: undefined, note: undefined };
  const note = `The start downloads it with ${command.command}.`;
  return { command, isInstalled: false, installCommand: install(command.args), note };
}

/** What installs the package that a program downloads and starts, by the arguments of that program. */
const installers: Readonly<Record<string, (args: readonly string[]) => string>> = {
  npx: ([, name]) => `npm install --global ${name}`,
  uvx: ([name]) => `uv tool install ${name}`,
};

/** Made when it is needed: a program that lists no agents gets none of it. */
const schema = () =>
  optionsObject({
    start: optional(callback),
    cacheFolder: optional(absolutePath),
    clientInfo: optional(clientInfoOption),
    env: optional(environment),
  });
