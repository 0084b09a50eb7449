import { connect } from '../client/connect.ts';
import type { ClientConnection } from '../client/connection.ts';
import { describeEnd } from '../client/reconnect.ts';
import type { Implementation } from '../model/session.ts';
import { lastLines } from '../printable.ts';
import type { Transport, TransportEnd } from '../transport/transport.ts';
import { abortWith, onAbort } from '../wait.ts';
import { connectOptions } from './connect-options.ts';
import type { HostState } from './host-state.ts';
import { loginMethods } from './login.ts';
import type { PanelOptions, RememberedSession } from './options.ts';
import { PanelError, problem } from './panel-error.ts';
import { problemOf } from './problems.ts';
import type { Questions } from './questions.ts';
import type { Sessions } from './sessions.ts';
import type { PanelAgent, PanelProblem } from './state.ts';

/** What the agent's runs need of their host. */
export interface RunsHost {
  readonly options: PanelOptions;
  readonly state: HostState;
  readonly sessions: Sessions;
  readonly questions: Questions;
  /** Shows a problem to the user. */
  readonly show: (found: PanelProblem) => void;
  /** Shows the error of a call to the user. */
  readonly showError: (error: unknown) => void;
}

/** The agent of a panel: how it is started and ended, what it is, and how it ended by itself. */
export class AgentRuns {
  readonly #host: RunsHost;
  #connection: ClientConnection | undefined;
  #started: Promise<void> = Promise.resolve();
  /** Aborted when another start follows, or none. */
  #current = new AbortController();
  /** What was started last: it knows how it ended. */
  #transport: Transport | undefined;

  constructor(host: RunsHost) {
    this.#host = host;
  }

  get connection(): ClientConnection | undefined {
    return this.#connection;
  }

  get started(): Promise<void> {
    return this.#started;
  }

  /** Ends the agent if there is one, and starts it. Opens a session when it has started. */
  start(remembered: () => RememberedSession | undefined): Promise<void> {
    const stopped = this.stop();
    const { signal } = this.#current;
    this.#started = stopped.then(() => this.#start(signal, remembered()));
    return this.#started;
  }

  /** Ends the agent, or the attempt to start it. */
  async stop(): Promise<void> {
    this.#current.abort();
    this.#current = new AbortController();
    const connection = this.#connection;
    const started = this.#started;
    this.#connection = undefined;
    this.#host.sessions.use(undefined);
    this.#host.questions.withdrawAll();
    await connection?.close();
    await started;
  }

  /** The connection, when the agent has started. Rejects with what the user can do if it does not run. */
  async ready(): Promise<ClientConnection> {
    // Another start can begin while this waits.
    for (let started: Promise<void> | undefined; started !== this.#started; ) {
      started = this.#started;
      if (!this.#connection) await started;
    }
    const connection = this.#connection;
    if (!connection || connection.state === 'closed') {
      const message = 'The agent does not run. Start it again.';
      throw new PanelError(problem('connection.closed', message, 'restart'));
    }
    await connection.ready;
    return connection;
  }

  async #start(signal: AbortSignal, remembered: RememberedSession | undefined): Promise<void> {
    if (signal.aborted) return;
    const { state, sessions } = this.#host;
    state.change({
      phase: 'starting',
      agent: null,
      features: {},
      authMethods: [],
      problem: null,
      loading: remembered ? { updates: 0 } : null,
    });
    let connection: ClientConnection;
    try {
      connection = await this.#connect(signal);
    } catch (error) {
      if (signal.aborted) return;
      state.change({ phase: 'closed', loading: null });
      this.#host.show({ ...problemOf(error), remedy: 'restart' });
      return;
    }
    if (signal.aborted) return connection.close();
    this.#follow(connection, signal);
    const reopened = remembered && sessions.restore(connection, remembered);
    const listed = sessions.refresh().catch((error: unknown) => this.#host.showError(error));
    await Promise.all([reopened, listed]);
  }

  async #connect(signal: AbortSignal): Promise<ClientConnection> {
    const options = connectOptions(this.#host.options, this.#host.questions);
    const control = new AbortController();
    const stops = [signal, options.signal].map((each) => abortWith(control, each));
    const agent = async () => {
      this.#transport = await this.#host.options.agent();
      return this.#transport;
    };
    try {
      return await connect(agent, { ...options, signal: control.signal });
    } finally {
      for (const stop of stops) stop();
    }
  }

  #follow(connection: ClientConnection, signal: AbortSignal): void {
    const { state, sessions } = this.#host;
    this.#connection = connection;
    sessions.use(connection);
    this.#describe(connection);
    const stop = connection.onStateChange((phase) => {
      // `closed` comes with the reason, below.
      if (phase === 'closed') return;
      this.#describe(connection);
      if (phase === 'reconnecting') void this.#explainEnd(signal);
      else this.#explainRestart();
    });
    onAbort(signal, stop);
    void connection.closed.then((end) => {
      stop();
      if (signal.aborted) return;
      state.change({ phase: 'closed', loading: null });
      this.#showEnd(end, 'Start it again.', 'restart');
    });
  }

  #describe({ state: phase, agentInfo, features, authMethods }: ClientConnection): void {
    const agent = agentInfo ? agentOf(agentInfo) : null;
    this.#host.state.change({ phase, agent, features, authMethods: loginMethods(authMethods) });
  }

  /** Shows how the agent ended, while it is being started again. */
  async #explainEnd(signal: AbortSignal): Promise<void> {
    const end = await this.#transport?.ended;
    if (signal.aborted || this.#host.state.sent.phase !== 'reconnecting') return;
    this.#showEnd(end ?? {}, `${beingStarted} What it was working on is not sent again.`, null);
  }

  /** The agent runs again: says so, instead of that it is being started. */
  #explainRestart(): void {
    const { problem: shown } = this.#host.state.sent;
    if (!shown?.message.includes(beingStarted)) return;
    this.#host.state.change({
      problem: { ...shown, message: shown.message.replace(beingStarted, hasStarted) },
    });
  }

  #showEnd(end: TransportEnd, consequence: string, remedy: PanelProblem['remedy']): void {
    const { agent } = this.#host.state.sent;
    const stderr = end.exit ? lastLines(end.exit.stderrTail) : '';
    this.#host.show({
      message: `${describeEnd(end, agent?.title ?? agent?.name)} ${consequence}`,
      detail: stderr === '' ? null : stderr,
      code: end.exit ? 'agent.exit' : 'connection.closed',
      remedy,
    });
  }
}

const beingStarted = 'The agent is being started again.';
const hasStarted = 'The agent was started again.';

function agentOf({ name, title, version }: Implementation): PanelAgent {
  return { name, title: title ?? null, version };
}
