import * as v from 'valibot';
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
import type { LoginFacts } from '../../core/protocol/login-advice.ts';
import type { ProtocolVersion } from '../../core/protocol/negotiate.ts';
import { searchProgram } from '../../node/process/program-path.ts';
import { launchOf, type SpawnAgentOptions, spawnOptionsSchema } from '../../node/process/spawn.ts';
import type { Launch } from '../../node/process/start-program.ts';
import {
  evidenceOfRefusal,
  type LoginEvidence,
  LoginReports,
  type LoginState,
  loginFrom,
  withoutSession,
} from './login.ts';
import {
  type AgentProblem,
  loginProblem,
  olderVersionProblem,
  outOfTimeProblem,
  sessionProblem,
  startProblem,
} from './problems.ts';
import {
  type FailedStart,
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
  return new Probe(command, options).run();
}

const defaultClientInfo: Implementation = { name: 'acp-client-probe', version: '1.0.0' };

const oldestVersion: ProtocolVersion = 1;
const allVersions: readonly ProtocolVersion[] = [oldestVersion, 2];

/** What one connection showed. */
type Seen = Pick<ClientConnection, 'agentInfo' | 'dialect' | 'features' | 'authMethods' | 'protocolVersion'>;

/** One run of {@link probeAgent}. */
class Probe {
  readonly #command: SpawnAgentOptions;
  readonly #options: ProbeAgentOptions;
  readonly #launch: Launch;
  readonly #clock: ReturnType<typeof probeClock>;
  readonly #problems: AgentProblem[] = [];
  /** What calls showed about the login, beside what the agent reports. */
  readonly #refusals: LoginEvidence[] = [];
  readonly #reports = new LoginReports();
  /** The last refusal for the lack of a login. */
  #refusal: AuthRequiredError | undefined;
  #session: ProbeSession = 'skipped';
  #ran = false;

  constructor(command: SpawnAgentOptions, options: ProbeAgentOptions) {
    this.#command = command;
    this.#options = options;
    this.#launch = launchOf(command);
    this.#clock = probeClock(options.stepTimeoutMs ?? 60_000, options.timeoutMs ?? 120_000);
  }

  async run(): Promise<AgentProbe> {
    const { command, env, cwd } = this.#launch;
    const { program, searched } = await this.#clock.step('search', async () =>
      searchProgram(command, env, cwd),
    );
    const { seen, versions } = await this.#look(program);
    const said = loginFrom(this.#evidence);
    const { login, reason } = this.#session === 'failed' ? withoutSession(said) : said;
    if (login === 'no') this.#problems.unshift(loginProblem({ login, reason }, this.#loginFacts(seen)));
    return {
      found: program !== undefined || this.#ran,
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
      session: this.#session,
      problems: this.#problems,
      steps: this.#clock.steps,
    };
  }

  #loginFacts(seen: Seen | undefined): LoginFacts {
    const { id, website } = this.#options.registryEntry ?? {};
    const { agentMessage, data } = this.#refusal ?? {};
    const { command, args } = this.#command;
    const names = [seen?.agentInfo?.name, id];
    return {
      authMethods: seen?.authMethods,
      agentMessage,
      data,
      names,
      program: { command, args },
      website,
    };
  }

  #noteRefusal(error: unknown): boolean {
    const evidence = evidenceOfRefusal(error);
    if (!evidence || !(error instanceof AuthRequiredError)) return false;
    this.#refusals.push(evidence);
    this.#refusal = error;
    return true;
  }

  get #evidence(): readonly LoginEvidence[] {
    return [...this.#refusals, ...this.#reports.evidence];
  }

  /** Starts the agent as often as it takes to see what it answers. */
  async #look(program: string | undefined) {
    const first = await this.#clock.step('initialize', () => this.#start(allVersions));
    if (first.connection) {
      const seen = await this.#use(first);
      const older = allVersions.filter((version) => version < seen.protocolVersion);
      const alsoAnswered = await this.#answersOf(older);
      return { seen, versions: [...alsoAnswered, seen.protocolVersion] };
    }
    const isRefused = first.error instanceof RemoteError && !(first.error instanceof AuthRequiredError);
    const second = isRefused
      ? await this.#clock.step('olderVersion', () => this.#start([oldestVersion]))
      : undefined;
    if (!second?.connection) {
      await this.#note(first, program);
      return { seen: undefined, versions: [] };
    }
    this.#problems.push(olderVersionProblem(first.error, oldestVersion));
    return { seen: await this.#use(second), versions: [oldestVersion] };
  }

  async #start(offered: readonly ProtocolVersion[]): Promise<Start> {
    const { clientInfo = defaultClientInfo, terminalLogin = false, signal } = this.#options;
    const started = await start(this.#command, {
      protocolVersions: offered,
      clientInfo,
      terminalLogin,
      initializeIdleTimeoutMs: this.#clock.stepMs(),
      initializeTotalTimeoutMs: Math.max(1, Math.ceil(this.#clock.leftMs())),
      handlers: { authStatusChanged: this.#reports.take },
      signal,
    });
    this.#ran ||= started.connection !== undefined || started.ran;
    return started;
  }

  /** Which of these versions the agent answers, each offered alone. */
  async #answersOf(versions: readonly ProtocolVersion[]): Promise<readonly ProtocolVersion[]> {
    const answered: ProtocolVersion[] = [];
    for (const version of versions) {
      if (this.#clock.leftMs() === 0) {
        this.#problems.push(outOfTimeProblem(`version ${version} of the protocol was offered alone`));
        continue;
      }
      const started = await this.#clock.step('olderVersion', async () => {
        const start = await this.#start([version]);
        if (start.connection) await start.end();
        return start;
      });
      this.#options.signal?.throwIfAborted();
      if (started.connection) answered.push(version);
    }
    return answered;
  }

  async #note(failed: FailedStart, program: string | undefined): Promise<void> {
    if (!this.#noteRefusal(failed.error))
      this.#problems.push(await startProblem(failed, this.#launch, program));
  }

  /** Looks at the agent over its connection, and ends it. */
  async #use({ connection, end }: Started): Promise<Seen> {
    const { agentInfo, dialect, features, authMethods, protocolVersion } = connection;
    try {
      await this.#clock.step('loginStatus', () =>
        this.#reports.wait(connection, this.#clock.stepMs(), this.#options.signal),
      );
      await this.#openSession(connection);
    } finally {
      await this.#clock.step('end', end);
    }
    this.#options.signal?.throwIfAborted();
    return { agentInfo, dialect, features, authMethods, protocolVersion };
  }

  async #openSession(connection: ClientConnection): Promise<void> {
    const { session = 'open', signal } = this.#options;
    if (session === 'skip' || loginFrom(this.#evidence).login === 'no') return;
    if (this.#clock.leftMs() === 0) {
      this.#problems.push(outOfTimeProblem('a session was opened'));
      return;
    }
    await this.#clock.step('session', async () => {
      try {
        const timeoutMs = Math.min(
          this.#options.sessionTimeoutMs ?? Number.POSITIVE_INFINITY,
          this.#clock.stepMs(),
        );
        this.#session = await tryNewSession(connection, { timeoutMs, signal });
      } catch (error) {
        signal?.throwIfAborted();
        this.#session = 'failed';
        if (!this.#noteRefusal(error)) this.#problems.push(sessionProblem(error));
      }
    });
  }
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
