import * as v from 'valibot';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { AuthRequiredError, RemoteError } from '../../core/base/errors.ts';
import {
  abortSignal,
  checkOptions,
  oneOf,
  optional,
  optionsObject,
  timeoutMs,
} from '../../core/base/options.ts';
import { clientInfoOption } from '../../core/client/connect.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { Implementation } from '../../core/model/session.ts';
import type { AuthMethod, DialectName } from '../../core/protocol/dialect.ts';
import type { Feature } from '../../core/protocol/feature.ts';
import type { ProtocolVersion } from '../../core/protocol/negotiate.ts';
import { searchProgram } from '../../node/process/program-path.ts';
import { launchOf, type SpawnAgentOptions, spawnOptionsSchema } from '../../node/process/spawn.ts';
import { loginAdvice } from '../find.ts';
import {
  evidenceOfRefusal,
  type LoginEvidence,
  LoginReports,
  type LoginState,
  loginFrom,
  withoutSession,
} from './login.ts';
import { type AgentProblem, problem, sessionProblem, startProblem } from './problems.ts';
import {
  type ProbeSession,
  type ProbeStep,
  probeClock,
  type Start,
  type Started,
  start,
  tryNewSession,
} from './steps.ts';

/** Options of {@link probeAgent}. */
export interface ProbeAgentOptions {
  /**
   * Whether a session is opened, in an empty temporary directory, and deleted or closed again. No prompt is sent. Some
   * agents only then show that they need a login. An agent that cannot delete sessions keeps it in its history.
   * Default: `open`, unless the agent has said before that the user is not logged in.
   */
  readonly session?: 'open' | 'skip' | undefined;
  /** Whether the editor can run the agent's program in a terminal for a login, as for `connect`. Default: `false`. */
  readonly terminalLogin?: boolean | undefined;
  /** The agent's entry in the registry, if it is known. The advice about its login uses it. */
  readonly registryEntry?: { readonly id: string; readonly website?: string | undefined } | undefined;
  /** Name and version of the editor. Default: those of this probe. */
  readonly clientInfo?: Implementation | undefined;
  /**
   * Milliseconds for each step. A start may take longer as long as the program writes something, such as the progress
   * of a download. Default: 60,000.
   */
  readonly stepTimeoutMs?: number | undefined;
  /** Milliseconds for the session alone, which some agents never open without a network. Default: `stepTimeoutMs`. */
  readonly sessionTimeoutMs?: number | undefined;
  /** Milliseconds for all steps. The end of the agent's processes is not counted. Default: 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Aborting ends the agent, and rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What {@link probeAgent} found. It is data that `JSON.stringify` can write. */
export interface AgentProbe {
  /** Whether there is a file for the command. It may be one that cannot be started: then `problems` says why. */
  readonly found: boolean;
  /** The absolute path of the program's file. Absent if none was found. */
  readonly program: string | undefined;
  /** The absolute paths of the directories that were searched, or of the one file that the command names. */
  readonly searched: readonly string[];
  /** Name and version of the agent. Absent if it reports none, or does not answer `initialize`. */
  readonly agentInfo: Implementation | undefined;
  /** The agent's version. Absent if it reports none, or does not answer `initialize`. */
  readonly version: string | undefined;
  /** The versions of the protocol that the agent answers, in ascending order. Empty if it does not answer. */
  readonly protocolVersions: readonly ProtocolVersion[];
  /** The dialect that `connect` uses with this agent. Absent if it does not answer `initialize`. */
  readonly dialect: DialectName | undefined;
  /** Whether the agent supports each feature, in this dialect. Absent if it does not answer `initialize`. */
  readonly features: Readonly<Record<Feature, boolean>> | undefined;
  /** The login methods that the agent offers. They do not say whether it needs a login. */
  readonly authMethods: readonly AuthMethod[];
  /** Whether the user is logged in. `yes` and `no` are what the agent itself says or does, see {@link LoginState}. */
  readonly login: LoginState;
  /** What `login` is based on, as one sentence. */
  readonly loginReason: string;
  /** What became of the session that was opened. */
  readonly session: ProbeSession;
  /** What keeps the agent from working. Empty if nothing was found. */
  readonly problems: readonly AgentProblem[];
  /** The steps in the order in which they ended, each with its time. */
  readonly steps: readonly ProbeStep[];
}

/**
 * Checks an agent: whether its program is there, starts, speaks the protocol and opens a session, and whether the user
 * is logged in. It starts the agent like `connect`, which offers all versions, and sends no prompt. An agent that
 * answers a newer version is started a second time, to see whether it also answers the older one. Where a start with
 * all versions is refused, the older one is offered alone.
 *
 * It resolves whatever the agent does, and then nothing is left running that it started: the agent, its children, and
 * on Linux its daemons, unless they removed the variable `ACP_CLIENT_START` from their environment. It runs the
 * command: `npx` and `uvx` download a package that they do not have.
 *
 * @param command - What {@link spawnAgent} takes.
 * @throws {@link InvalidParamsError} if the command or an option is wrong. Then nothing was started. It rejects for no
 *   other reason, except that it was aborted by `signal`.
 *
 * @example
 * ```ts
 * const { found, version, login, problems } = await probeAgent({ command: 'some-agent', args: ['--acp'] });
 * for (const { message, remedy } of problems) showProblem(message, remedy);
 * ```
 * @see https://agentclientprotocol.com/protocol/initialization
 */
export async function probeAgent(
  command: SpawnAgentOptions,
  options: ProbeAgentOptions = {},
): Promise<AgentProbe> {
  checkOptions('probeAgent', spawnOptionsSchema, command);
  checkOptions('probeAgent', probeOptionsSchema(), options);
  options.signal?.throwIfAborted();
  return runProbe(command, options);
}

const defaultClientInfo: Implementation = { name: 'acp-client-probe', version: '1.0.0' };

const oldestVersion: ProtocolVersion = 1;
const allVersions: readonly ProtocolVersion[] = [oldestVersion, 2];

/** What one connection showed. */
type Seen = Pick<
  ClientConnection,
  'agentInfo' | 'dialect' | 'features' | 'authMethods' | 'protocolVersion'
> & { readonly session: ProbeSession };

async function runProbe(command: SpawnAgentOptions, options: ProbeAgentOptions): Promise<AgentProbe> {
  const { clientInfo = defaultClientInfo, terminalLogin = false, registryEntry, signal } = options;
  const launch = launchOf(command);
  const clock = probeClock(options.stepTimeoutMs ?? 60_000, options.timeoutMs ?? 120_000);
  const problems: AgentProblem[] = [];
  /** The calls that the agent refused for the lack of a login. */
  const refusals: AuthRequiredError[] = [];
  const reports = new LoginReports();
  let hasRun = false;

  const evidence = (): readonly LoginEvidence[] => [
    ...refusals.flatMap((refusal) => evidenceOfRefusal(refusal) ?? []),
    ...reports.evidence,
  ];

  function noteRefusal(error: unknown): boolean {
    if (!(error instanceof AuthRequiredError)) return false;
    refusals.push(error);
    return true;
  }

  async function startOffering(protocolVersions: readonly ProtocolVersion[]): Promise<Start> {
    const started = await start(command, {
      protocolVersions,
      clientInfo,
      terminalLogin,
      initializeIdleTimeoutMs: clock.stepMs(),
      initializeTotalTimeoutMs: Math.max(1, Math.ceil(clock.leftMs())),
      handlers: { authStatusChanged: reports.take },
      signal,
    });
    hasRun ||= started.connection !== undefined || started.ran;
    return started;
  }

  /** Starts the agent as often as it takes to see what it answers. `program` is the file of its command. */
  async function look(program: string | undefined) {
    const first = await clock.step('initialize', () => startOffering(allVersions));
    if (first.connection) {
      const seen = await use(first);
      const isBoth = seen.protocolVersion !== oldestVersion && (await answersOldest());
      return { seen, versions: isBoth ? allVersions : [seen.protocolVersion] };
    }
    const isRefused = first.error instanceof RemoteError && !(first.error instanceof AuthRequiredError);
    const second = isRefused
      ? await clock.step('olderVersion', () => startOffering([oldestVersion]))
      : undefined;
    if (!second?.connection) {
      if (!noteRefusal(first.error)) problems.push(await startProblem(first, launch, program));
      return { seen: undefined, versions: [] };
    }
    const message = `The agent works only if version ${oldestVersion} of the protocol is offered alone. Otherwise: ${errorMessage(first.error)}`;
    problems.push(problem('protocol.offer_older_version', message));
    return { seen: await use(second), versions: [oldestVersion] };
  }

  /** Whether the agent answers the oldest version, offered alone. */
  async function answersOldest(): Promise<boolean> {
    if (isOutOfTime(`version ${oldestVersion} of the protocol was offered alone`)) return false;
    const started = await clock.step('olderVersion', async () => {
      const alone = await startOffering([oldestVersion]);
      if (alone.connection) await alone.end();
      return alone;
    });
    signal?.throwIfAborted();
    return started.connection !== undefined;
  }

  function isOutOfTime(missing: string): boolean {
    if (clock.leftMs() > 0) return false;
    problems.push(problem('probe.out_of_time', `The time of the probe ended before ${missing}.`));
    return true;
  }

  /** Looks at the agent over its connection, and ends it. */
  async function use({ connection, end }: Started): Promise<Seen> {
    const { agentInfo, dialect, features, authMethods, protocolVersion } = connection;
    try {
      await clock.step('loginStatus', () => reports.wait(connection, clock.stepMs(), signal));
      const session = await openSession(connection);
      return { agentInfo, dialect, features, authMethods, protocolVersion, session };
    } finally {
      await clock.step('end', end);
      signal?.throwIfAborted();
    }
  }

  async function openSession(connection: ClientConnection): Promise<ProbeSession> {
    if (options.session === 'skip' || loginFrom(evidence()).login === 'no') return 'skipped';
    if (isOutOfTime('a session was opened')) return 'skipped';
    const { sessionTimeoutMs = Number.POSITIVE_INFINITY } = options;
    return clock.step('session', async () => {
      try {
        const timeoutMs = Math.min(sessionTimeoutMs, clock.stepMs());
        return await tryNewSession(connection, { timeoutMs, signal });
      } catch (error) {
        signal?.throwIfAborted();
        if (!noteRefusal(error)) problems.push(sessionProblem(error));
        return 'failed';
      }
    });
  }

  const { program, searched } = await clock.step('search', async () =>
    searchProgram(launch.command, launch.env, launch.cwd),
  );
  const { seen, versions } = await look(program);
  const said = loginFrom(evidence());
  const session = seen?.session ?? 'skipped';
  const { login, reason } = session === 'failed' ? withoutSession(said) : said;
  if (login === 'no') {
    const { agentMessage, data } = refusals.at(-1) ?? {};
    const advice = loginAdvice({
      authMethods: seen?.authMethods,
      agentMessage,
      data,
      names: [seen?.agentInfo?.name, registryEntry?.id],
      program: { command: command.command, args: command.args },
      website: registryEntry?.website,
    });
    problems.unshift({ code: 'login.required', message: reason, remedy: advice.text });
  }
  return {
    found: program !== undefined || hasRun,
    program,
    searched,
    agentInfo: seen?.agentInfo,
    version: seen?.agentInfo?.version,
    protocolVersions: versions,
    dialect: seen?.dialect,
    features: seen?.features,
    authMethods: seen?.authMethods ?? [],
    login,
    loginReason: reason,
    session,
    problems,
    steps: clock.steps,
  };
}

/** Made when it is needed: a program that does not probe gets none of it. */
const probeOptionsSchema = () =>
  optionsObject({
    session: optional(oneOf('open', 'skip')),
    terminalLogin: optional(v.boolean()),
    registryEntry: optional(v.looseObject({ id: v.string(), website: optional(v.string()) })),
    clientInfo: optional(clientInfoOption),
    sessionTimeoutMs: optional(timeoutMs),
    stepTimeoutMs: optional(timeoutMs),
    timeoutMs: optional(timeoutMs),
    signal: optional(abortSignal),
  } satisfies { readonly [K in keyof Required<ProbeAgentOptions>]: v.GenericSchema });
