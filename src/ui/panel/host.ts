import { connect } from '../../agents/connect.ts';
import { errorMessage } from '../../core/base/diagnostic.ts';
import { abortWith } from '../../core/base/wait.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { LoadProgress } from '../../core/client/session/opener.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { Transport } from '../../core/transport/transport.ts';
import { AgentList } from './agents.ts';
import { connectOptions, descriptionOf, endReport } from './connection.ts';
import { type AfterLogin, runningLogin } from './login.ts';
import type { PanelEffect } from './machine/state.ts';
import { OpenQuestions } from './open-questions.ts';
import { editorActions, type Limits, type PanelOptions, type RememberedSession } from './options.ts';
import { panelError } from './panel-error.ts';
import { type ProblemReports, problemReports } from './problem-reports.ts';
import { refused } from './problems.ts';
import { questionHandlers } from './questions.ts';
import { MachineRunner } from './runner.ts';
import { readOnlySession, type SavedSession, SavedSessions } from './saved-sessions.ts';
import {
  isGone,
  listSessions,
  openSessions,
  type ReopenOptions,
  rememberedSession,
  sessionParameters,
} from './sessions.ts';

type Start = NonNullable<PanelOptions['agent']>;

/**
 * Performs what the state machine of a panel decides: starts and ends the agent, lists and opens sessions, and asks the
 * user. What a page asks for is a call of a method, and what comes of it is an event.
 */
export class PanelHost {
  readonly options: PanelOptions;
  readonly limits: Limits;
  readonly runner: MachineRunner;
  readonly problems: ProblemReports;
  readonly questions: OpenQuestions;
  readonly logins: ReturnType<typeof runningLogin>;
  readonly agents: AgentList;
  readonly saved: SavedSessions;
  /** The addresses that the editor's dialog returned. A prompt may contain them. */
  readonly chosen = new Set<string>();
  #connection: ClientConnection | undefined;
  #started: Promise<void> = Promise.resolve();
  /** Aborted when another start follows, or none. */
  #run = new AbortController();
  /** What was started last: it knows how it ended. */
  #transport: Transport | undefined;
  #opening: { readonly id: number; readonly control: AbortController } | undefined;
  /** The session that is being opened. */
  #opened: Promise<Session> | undefined;
  #listing: Promise<unknown> | undefined;
  #stopFollowing: () => void = () => {};
  #openingCount = 0;

  /** @param onChange - Called when the state or what is shown may have changed. */
  constructor(options: PanelOptions, limits: Limits, onChange: () => void) {
    this.options = options;
    this.limits = limits;
    // Each entry of the table takes the effect of its key.
    const perform = (effect: PanelEffect) =>
      (this.#effects[effect.type] as (effect: PanelEffect) => void)(effect);
    this.runner = new MachineRunner(editorActions(options.editor), perform, onChange);
    this.problems = problemReports(options, this.runner);
    this.questions = new OpenQuestions(this.runner);
    this.logins = runningLogin(this.runner);
    this.saved = new SavedSessions(options);
    this.agents = new AgentList(options, this.runner, this.problems);
  }

  /** The session that is shown. It can be closed: its conversation stays readable. */
  get session(): Session | undefined {
    // Each event that names a session to show has one of the connection.
    return (this.runner.state.shown as Session | null) ?? undefined;
  }

  get connection(): ClientConnection | undefined {
    return this.#connection;
  }

  get started(): Promise<void> {
    return this.#started;
  }

  /** Starts the agent, and ends the one that runs. Resolves when a session is open again. */
  start(): Promise<void> {
    this.runner.dispatch({ type: 'start' });
    return this.#started;
  }

  /**
   * Starts another agent of the list. `null`: none.
   *
   * @throws a refusal if the list does not have it.
   */
  async chooseAgent(id: string | null): Promise<void> {
    this.agents.choose(id);
    await this.start();
  }

  /** Ends the agent. Nothing is shown any more. Resolves when the transcripts are written. */
  close(): Promise<void> {
    this.agents.stop();
    this.runner.dispatch({ type: 'close' });
    this.#stopFollowing();
    return this.#started.then(() => this.saved.close());
  }

  /** The connection, when the agent has started. Rejects with what the user can do if it is not running. */
  async ready(): Promise<ClientConnection> {
    // Another start can begin while this waits.
    for (let started: Promise<void> | undefined; started !== this.#started; ) {
      started = this.#started;
      if (!this.#connection) await started;
    }
    const connection = this.#connection;
    if (!connection || connection.state === 'closed') {
      this.agents.assertChosen();
      throw panelError('connection.closed', 'The agent is not running. Start it again.', 'restart');
    }
    await connection.ready;
    return connection;
  }

  /** Logs in. If the agent must be started again after it, that begins. */
  async login(methodId: string): Promise<AfterLogin> {
    const after = await this.logins.run(await this.ready(), methodId, this.agents.loginInTerminal);
    this.questions.loggedIn(after);
    if (after === 'restart') void this.start();
    return after;
  }

  /** Ends the agent, or the attempt to start it. */
  async #stop(): Promise<void> {
    const started = this.#started;
    const connection = this.#connection;
    this.#run.abort();
    this.logins.cancel();
    this.#run = new AbortController();
    this.#connection = undefined;
    await connection?.close();
    await started;
  }

  async #begin(run: number): Promise<void> {
    const stopped = this.#stop();
    const { signal } = this.#run;
    await stopped;
    if (signal.aborted) return;
    this.runner.dispatch({ type: 'starting', run, isRestoring: this.#toRestore() !== undefined });
    let connection: ClientConnection | undefined;
    try {
      const start = await this.agents.toStart(signal);
      if (start && !signal.aborted) connection = await this.#connect(start, signal);
      else this.runner.dispatch({ type: 'no_agent', run });
    } catch (error) {
      this.problems.startFailed(run, error);
    }
    if (signal.aborted) return connection?.close();
    // The state says why no agent runs. The saved sessions can be read without one.
    if (!connection) return this.#listSaved().catch(() => {});
    this.#use(connection, run);
    const remembered = this.#toRestore();
    const tasks = [this.refresh(), remembered && this.#restore(connection, remembered)];
    await Promise.all(tasks.map((task) => task?.catch((error: unknown) => this.problems.fail(error))));
  }

  /** The session that is shown, or the one that the memory has. */
  #toRestore(): RememberedSession | undefined {
    const fault = (error: unknown) => this.problems.fault(error);
    return this.runner.state.shown ?? rememberedSession(this.options, fault);
  }

  async #connect(start: Start, signal: AbortSignal): Promise<ClientConnection> {
    const handlers = questionHandlers(this.questions, (methodId) => this.login(methodId));
    const options = connectOptions(this.options, handlers, (sessionId) =>
      this.runner.dispatch({ type: 'cancel_ignored', sessionId }),
    );
    const control = new AbortController();
    const stops = [signal, options.signal].map((each) => abortWith(control, each));
    const agent = async () => {
      this.#transport = await start();
      return this.#transport;
    };
    try {
      return await connect(agent, { ...options, signal: control.signal });
    } finally {
      for (const stop of stops) stop();
    }
  }

  #use(connection: ClientConnection, run: number): void {
    this.#connection = connection;
    // A listing that was begun before knows nothing of this agent.
    this.#listing = undefined;
    const describe = () => this.runner.dispatch({ type: 'described', run, ...descriptionOf(connection) });
    describe();
    connection.reconnection.onNextAttempt(describe);
    connection.onStateChange((phase) => {
      // `closed` comes with the reason, below.
      if (phase === 'closed') return;
      describe();
      if (phase !== 'reconnecting') return;
      void Promise.resolve(this.#transport?.ended).then((end = {}) =>
        this.runner.dispatch({ type: 'agent_lost', run, end: endReport(end, this.runner.state.agent) }),
      );
    });
    void connection.closed.then((end) =>
      this.runner.dispatch({ type: 'agent_ended', run, end: endReport(end, this.runner.state.agent) }),
    );
  }

  /** Lists the sessions again. Calls at the same time share a listing. */
  refresh(): Promise<unknown> {
    if (this.#listing) return this.#listing;
    const listing = Promise.all([this.#listSaved(), this.#listOfAgent(this.#connection)]).finally(() => {
      if (this.#listing === listing) this.#listing = undefined;
    });
    this.#listing = listing;
    return listing;
  }

  async #listOfAgent(connection: ClientConnection | undefined): Promise<void> {
    if (!connection) return;
    const { run } = this.runner.state;
    const { sessions, fault } = await listSessions(connection, this.options, this.limits.listedSessions);
    this.runner.dispatch({ type: 'listed', run, sessions });
    this.#sessionsChanged();
    if (fault) throw fault;
  }

  #listSaved(): Promise<void> {
    const agentName = this.#connection?.agentInfo?.name;
    return this.saved.list({ limit: this.limits.listedSessions, agentName }, (sessions) =>
      this.runner.dispatch({ type: 'saved', sessions }),
    );
  }

  /** The session that is being opened or shown. If there is none, a new one: one for all calls that need it. */
  async current(connection: ClientConnection): Promise<Session> {
    return (await this.opened()) ?? this.create(connection);
  }

  /** The session that is being opened or shown, when it is open. */
  async opened(): Promise<Session | undefined> {
    while (this.#opened) await this.#opened.catch(() => {});
    return this.session;
  }

  /** Creates a session, and shows it. */
  create(connection: ClientConnection): Promise<Session> {
    return this.#show({ sessionId: null, isRemembered: false }, async ({ signal }) =>
      connection.newSession(sessionParameters(connection, this.options), { signal }),
    );
  }

  /**
   * Opens a session of the list, and shows it while its history arrives.
   *
   * @throws a refusal if the session is neither listed nor open.
   */
  open(connection: ClientConnection, sessionId: string): Promise<Session> {
    const known = this.#known(sessionId);
    return this.#show({ sessionId, isRemembered: false }, (options) =>
      this.saved.open(connection, known, options),
    );
  }

  #restore(connection: ClientConnection, remembered: RememberedSession): Promise<Session> {
    return this.#show({ sessionId: remembered.sessionId, isRemembered: true }, (options) =>
      this.saved.restore(connection, remembered, this.session, options),
    );
  }

  /** Shows a saved session at once, and continues it if the agent runs and has it. */
  async openSaved(sessionId: string, saved: SavedSession): Promise<void> {
    await this.#show({ sessionId, isRemembered: false }, async (options) => {
      options.onProgress({ session: await this.saved.read(saved), updates: 0 });
      const connection = await this.ready().catch((error: unknown) => errorMessage(error));
      if (typeof connection === 'string') return this.saved.read(saved, connection);
      return this.saved.continue(saved, connection, options);
    });
  }

  /** Runs a task that opens a session, and shows the session unless another one was opened meanwhile. */
  #show(
    opening: { readonly sessionId: string | null; readonly isRemembered: boolean },
    task: (options: ReopenOptions) => Promise<Session>,
  ): Promise<Session> {
    const id = ++this.#openingCount;
    this.runner.dispatch({ type: 'open', id, ...opening });
    const control = new AbortController();
    const { signal } = control;
    const onProgress = (progress: LoadProgress) =>
      this.runner.dispatch({ type: 'progress', id, ...progress });
    this.#opening = { id, control };
    const run = async () => {
      try {
        const session = await task({ signal, onProgress });
        if (!('readOnly' in session)) this.saved.record(session);
        this.runner.dispatch({ type: 'opened', id, session });
        return session;
      } catch (error) {
        this.runner.dispatch({ type: 'open_failed', id, isGone: isGone(error) });
        const { phase, opening: other } = this.runner.state;
        if (phase === 'open' && !other) this.#lose(this.session);
        if (!signal.aborted) throw error;
        throw panelError('panel.superseded', 'Another session was opened meanwhile.');
      } finally {
        if (this.#opened === opened) this.#opened = undefined;
      }
    };
    // Later: a task can throw before it returns a promise.
    const opened = Promise.resolve().then(run);
    this.#opened = opened;
    return opened;
  }

  /** Deletes a session at the agent that has it, and its transcript. */
  async delete(sessionId: string): Promise<void> {
    this.#known(sessionId);
    const { listed, open } = this.runner.state;
    const isOfAgent = [...listed, ...open].some((info) => info.sessionId === sessionId);
    if (isOfAgent || !this.saved.get(sessionId)) await (await this.ready()).deleteSession(sessionId);
    // It can have been recorded since the last listing. A listing that was begun before still has it.
    await Promise.all([this.#listSaved(), this.#listing?.catch(() => {})]);
    await this.saved.remove(sessionId);
    this.runner.dispatch({ type: 'session_deleted', sessionId });
    this.#sessionsChanged();
  }

  /** Closes a session at the agent. It stays in the agent's list. */
  async closeSession(connection: ClientConnection, sessionId: string): Promise<void> {
    const session = connection.sessions.find((candidate) => candidate.sessionId === sessionId);
    if (!session) throw refused('The session is not open.');
    await session.close();
    this.runner.dispatch({ type: 'session_closed', sessionId });
    this.#sessionsChanged();
  }

  /** What a session has that the agent does not open again can still be read. */
  #lose(session: Session | undefined): void {
    if (!session?.isClosed || 'readOnly' in session) return;
    const reason = 'The agent no longer has it open. A new session begins empty.';
    const readOnly = readOnlySession(session, session.conversation, reason);
    this.runner.dispatch({ type: 'session_lost', session, readOnly });
  }

  #sessionsChanged(): void {
    this.runner.dispatch({ type: 'sessions_changed', open: openSessions(this.#connection) });
  }

  /** A session that a page may open or delete: it is in the list, open, or saved. */
  #known(sessionId: string): RememberedSession {
    const { listed, open, saved } = this.runner.state;
    const known = [...listed, ...open, ...saved].find((info) => info.sessionId === sessionId);
    if (known) return { sessionId, cwd: known.cwd };
    throw refused('The panel does not list this session. List the sessions again.');
  }

  // --- Effects -------------------------------------------------------------------------------------------------------

  readonly #effects: {
    readonly [T in PanelEffect['type']]: (effect: Extract<PanelEffect, { readonly type: T }>) => void;
  } = {
    start: ({ run }) => {
      this.#started = this.#begin(run);
    },
    stop: () => {
      this.#started = this.#stop();
    },
    abandon: ({ id }) => {
      if (this.#opening?.id === id) this.#opening.control.abort();
    },
    follow: () => {
      this.#stopFollowing();
      const { session } = this;
      this.#stopFollowing = session?.store.subscribe(() => this.#sessionsChanged()) ?? (() => {});
      void session?.closed.then(({ reason, error }) => {
        if (session !== this.session || !['notRestored', 'lost'].includes(reason)) return;
        this.problems.fail(error);
        this.#lose(session);
        const listed = this.#connection?.ready.then(() => this.refresh()); // The agent may list it no more.
        listed?.catch((fault: unknown) => this.problems.fault(fault));
      });
      this.#sessionsChanged();
    },
    remember: ({ session }) => {
      const kept = session ? { sessionId: session.sessionId, cwd: session.cwd } : undefined;
      const remember = async () => this.options.memory?.set(kept);
      remember().catch((error: unknown) => this.problems.fault(error));
    },
    withdraw: ({ id }) => this.questions.withdraw(id),
    report: ({ problem: found }) => this.problems.report(found),
  };
}
