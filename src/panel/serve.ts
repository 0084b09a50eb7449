import { connect } from '../client/connect.ts';
import type { ClientConnection } from '../client/connection.ts';
import { describeEnd } from '../client/reconnect.ts';
import type { Session } from '../client/session/session.ts';
import { ConnectionStateError } from '../errors.ts';
import { listenerForErrors } from '../listeners.ts';
import { lastLines } from '../printable.ts';
import type { Transport, TransportEnd } from '../transport/transport.ts';
import { onAbort } from '../wait.ts';
import { type ActionHost, perform } from './actions.ts';
import type { PanelChannel } from './channel.ts';
import { connectOptions } from './connect-options.ts';
import { Frame } from './frame.ts';
import { HostState } from './host-state.ts';
import { type AfterLogin, logIn, loginMethods } from './login.ts';
import { randomId } from './messages.ts';
import {
  assertChannel,
  type Limits,
  type PanelEditor,
  type PanelOptions,
  type RememberedSession,
  readPanelOptions,
} from './options.ts';
import { Page } from './pages.ts';
import { PanelError, problem } from './panel-error.ts';
import { problemOf } from './problems.ts';
import { Questions } from './questions.ts';
import { isSuperseded, Sessions } from './sessions.ts';
import type { PanelAgent, PanelProblem, PanelState } from './state.ts';

/** A panel that is served: its agent, the session that is shown, and its pages. */
export interface ServedPanel extends AsyncDisposable {
  /** The connection to the agent. `undefined` while it is being started, and if it does not run. */
  readonly connection: ClientConnection | undefined;
  /** The session that is shown. */
  readonly session: Session | undefined;
  /** What the pages show. */
  readonly state: PanelState;
  /**
   * Resolves when the agent has started and the remembered session is open, or when that has failed:
   * {@link ServedPanel.state} says which. Never rejects.
   */
  readonly started: Promise<void>;
  /** Calls `listener` after changes of {@link ServedPanel.state}, at most once in a frame. Returns the function that removes it. */
  subscribe(listener: () => void): () => void;
  /**
   * Adds a page, such as a second tab, or a page that was loaded again over a new WebSocket. A channel with `ended` is
   * removed when it ends. Returns the function that removes the page.
   *
   * @throws {@link ConnectionStateError} if the panel is closed, or has the maximum number of pages.
   */
  attach(channel: PanelChannel): () => void;
  /**
   * Ends the agent and starts it again, for example after its command has changed. The session that is shown is opened
   * again. Resolves as {@link ServedPanel.started} does.
   */
  restart(): Promise<void>;
  /** Ends the agent. Open questions are answered as cancelled, and nothing is sent to the pages any more. */
  close(): Promise<void>;
}

/**
 * Serves a panel: starts the agent, and answers the pages that {@link connectPanel} connects. The agent is started at
 * once. If that fails, `state.problem` says why.
 *
 * Everything that a page sends is checked here. A page cannot choose a command, a path outside of the workspace, a session
 * that is not listed, an answer that a question does not have, or a setting that the agent does not offer.
 *
 * @param channel - The first page. Others can follow with `attach`.
 * @throws {@link InvalidParamsError} if an option is wrong.
 *
 * @example
 * ```ts
 * const panel = servePanel({
 *   agent: () => spawnAgent({ command: 'some-agent', args: ['--acp'] }),
 *   connect: { clientInfo: { name: 'my-editor', version: '1.0.0' } },
 *   workspace: () => ({ cwd: '/home/user/project' }),
 * });
 * server.on('connection', (socket) => panel.attach(webSocketChannel(socket)));
 * ```
 */
export function servePanel(options: PanelOptions, channel?: PanelChannel): ServedPanel {
  const limits = readPanelOptions(options);
  if (channel !== undefined) assertChannel('servePanel', channel);
  const host = new PanelHost(options, limits);
  if (channel) host.attach(channel);
  host.start();
  return host;
}

/** The problems that the connection causes itself: an action does not remove them. */
const lasting: ReadonlySet<PanelState['phase']> = new Set(['starting', 'reconnecting', 'closed']);

class PanelHost implements ServedPanel {
  readonly #options: PanelOptions;
  readonly #limits: Limits;
  readonly #run = randomId();
  readonly #pages = new Set<Page>();
  readonly #frame = new Frame(() => this.#flush());
  readonly #state: HostState;
  readonly #sessions: Sessions;
  readonly #questions: Questions;
  readonly #onProblem: (problem: PanelProblem) => void;
  readonly #actionHost: ActionHost;
  #connection: ClientConnection | undefined;
  #started: Promise<void> = Promise.resolve();
  /** Aborted when another start follows, or the panel is closed. */
  #current = new AbortController();
  /** What was started last: it knows how it ended. */
  #transport: Transport | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: PanelOptions, limits: Limits) {
    this.#options = options;
    this.#limits = limits;
    this.#onProblem = listenerForErrors((found: PanelProblem) => options.onProblem?.(found));
    const reportFault = (error: unknown) => this.#onProblem(problemOf(error));
    this.#state = new HostState(
      editorActions(options.editor),
      () => this.session?.conversation ?? null,
      () => this.#frame.request(),
      reportFault,
    );
    this.#sessions = new Sessions({
      options,
      limits,
      state: this.#state,
      reportFault,
      showProblem: (error) => this.#showProblem(error),
      onChange: () => this.#frame.request(),
      onShown: () => this.#showQuestions(),
    });
    this.#questions = new Questions(
      () => this.#showQuestions(),
      async (methodId) => this.#logIn(methodId),
    );
    this.#actionHost = {
      options,
      sessions: this.#sessions,
      questions: this.#questions,
      connection: () => this.#ready(),
      restart: () => this.restart(),
      afterLogin: (after) => this.#afterLogin(after),
      dismissProblem: () => this.#state.change({ problem: null }),
      setDraft: (draft) => this.#state.change({ draft }),
      putBack: (draft) => {
        if (this.#state.sent.draft === '') this.#state.change({ draft });
      },
      show: (error) => this.#showProblem(error),
      chosen: new Set(),
    };
  }

  get connection(): ClientConnection | undefined {
    return this.#connection;
  }

  get session(): Session | undefined {
    return this.#sessions.shown;
  }

  get state(): PanelState {
    return this.#state.whole;
  }

  get started(): Promise<void> {
    return this.#started;
  }

  subscribe(listener: () => void): () => void {
    return this.#state.subscribe(listener);
  }

  attach(channel: PanelChannel): () => void {
    assertChannel('attach', channel);
    if (this.#closing) {
      throw new ConnectionStateError('attach: the panel is closed. Serve another one with servePanel.');
    }
    const { pages } = this.#limits;
    if (this.#pages.size >= pages) {
      throw new ConnectionStateError(
        `attach: the panel has ${pages} pages, which is its limit. Remove one first, or raise limits.pages.`,
      );
    }
    const page = new Page(channel, {
      run: this.#run,
      limits: this.#limits,
      state: () => this.#state.sent,
      shown: () => this.session,
      act: (name, params) => this.#act(name, params),
      setDraft: (draft) => this.#state.change({ draft }),
      requestFlush: () => this.#frame.request(),
      flush: () => this.#frame.runNow(),
      report: this.#onProblem,
    });
    const detach = () => {
      this.#pages.delete(page);
      page.close();
    };
    this.#pages.add(page);
    channel.ended?.then(detach, detach);
    return detach;
  }

  start(): void {
    this.#started = this.#start(this.#sessions.remembered());
  }

  restart(): Promise<void> {
    if (this.#closing) return Promise.resolve();
    const { session } = this;
    const shown = session && { sessionId: session.sessionId, cwd: session.cwd };
    const before = this.#stop();
    this.#started = before.then(() => this.#start(shown ?? this.#sessions.remembered()));
    return this.#started;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const stopped = this.#stop();
    this.#state.change({ phase: 'closed', loading: null });
    this.#frame.runNow();
    for (const page of this.#pages) page.close();
    this.#pages.clear();
    this.#sessions.stop();
    await stopped;
    this.#state.announce();
    this.#frame.stop();
  }

  /** Ends the agent, or the attempt to start it. */
  async #stop(): Promise<void> {
    this.#current.abort();
    this.#current = new AbortController();
    const connection = this.#connection;
    const { started } = this;
    this.#connection = undefined;
    this.#sessions.use(undefined);
    this.#questions.withdrawAll();
    await connection?.close();
    await started;
  }

  async #start(remembered: RememberedSession | undefined): Promise<void> {
    if (this.#closing) return;
    const { signal } = this.#current;
    const loading = remembered ? { updates: 0 } : null;
    this.#state.change({ phase: 'starting', agent: null, features: {}, authMethods: [], problem: null });
    try {
      const options = connectOptions(this.#options, this.#questions);
      const stop = onAbort(options.signal, () => this.#current.abort());
      const agent = async () => {
        this.#transport = await this.#options.agent();
        return this.#transport;
      };
      const connection = await connect(agent, { ...options, signal }).finally(stop);
      if (signal.aborted) return await connection.close();
      this.#use(connection, signal);
    } catch (error) {
      if (signal.aborted) return;
      const found: PanelProblem = { ...problemOf(error), remedy: 'restart' };
      this.#state.change({ phase: 'closed', problem: found });
      this.#onProblem(found);
      return;
    }
    this.#state.change({ loading });
    await this.#sessions.refresh().catch((error: unknown) => this.#showProblem(error));
    if (remembered && !signal.aborted) await this.#reopen(remembered);
  }

  #use(connection: ClientConnection, signal: AbortSignal): void {
    this.#connection = connection;
    this.#sessions.use(connection);
    this.#describeAgent(connection);
    const stop = connection.onStateChange((phase) => {
      if (phase === 'closed') return;
      this.#describeAgent(connection);
      if (phase === 'reconnecting') void this.#explainEnd(signal);
      else this.#explainRestart();
    });
    onAbort(signal, stop);
    void connection.closed.then((end) => {
      stop();
      if (signal.aborted) return;
      this.#state.change({ phase: 'closed', loading: null });
      this.#showEnd(end, 'Start it again.', 'restart');
    });
  }

  #describeAgent({ state, agentInfo, features, authMethods }: ClientConnection): void {
    this.#state.change({
      phase: state,
      agent: agentInfo ? agentOf(agentInfo) : null,
      features,
      authMethods: loginMethods(authMethods),
    });
  }

  /** Shows how the agent ended, while it is being started again. */
  async #explainEnd(signal: AbortSignal): Promise<void> {
    const end = await this.#transport?.ended;
    if (signal.aborted || this.#state.sent.phase !== 'reconnecting') return;
    this.#showEnd(
      end ?? {},
      'The agent is being started again. What it was working on is not sent again.',
      null,
    );
  }

  #showEnd(end: TransportEnd, then: string, remedy: PanelProblem['remedy']): void {
    const name = this.#state.sent.agent?.title ?? this.#state.sent.agent?.name;
    const stderr = end.exit ? lastLines(end.exit.stderrTail) : '';
    this.#show({
      message: `${describeEnd(end, name)} ${then}`,
      detail: stderr === '' ? null : stderr,
      code: end.exit ? 'agent.exit' : 'connection.closed',
      remedy,
    });
  }

  /** The agent runs again: says so, instead of that it is being started. */
  #explainRestart(): void {
    const { problem: shown } = this.#state.sent;
    if (shown?.code !== 'agent.exit' && shown?.code !== 'connection.closed') return;
    const message = shown.message.replace('is being started again', 'was started again');
    this.#state.change({ problem: { ...shown, message } });
  }

  async #reopen(remembered: RememberedSession): Promise<void> {
    const connection = this.#connection;
    if (!connection) return;
    try {
      await this.#sessions.reopen(connection, remembered);
    } catch (error) {
      if (!isSuperseded(error)) this.#showProblem(error);
    } finally {
      if (connection === this.#connection) this.#state.change({ loading: null });
    }
  }

  /** The connection, when the agent has started. */
  async #ready(): Promise<ClientConnection> {
    // A restart can begin while this waits.
    for (let started: Promise<void> | undefined; started !== this.#started; ) {
      started = this.#started;
      if (!this.#connection) await started;
    }
    const connection = this.#connection;
    if (!connection || connection.state === 'closed') {
      const why = 'The agent does not run. Start it again.';
      throw new PanelError(problem('connection.closed', why, 'restart'));
    }
    await connection.ready;
    return connection;
  }

  async #act(name: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (!lasting.has(this.#state.sent.phase) && name !== 'dismissProblem') {
      this.#state.change({ problem: null });
    }
    try {
      return await perform(this.#actionHost, name, params);
    } catch (error) {
      if (isSuperseded(error)) {
        throw new PanelError(problem('panel.superseded', 'Another session was opened meanwhile.'));
      }
      this.#showProblem(error);
      throw error;
    }
  }

  /** Shows an error of an action. What a page must not do is not shown: the user did not ask for it. */
  #showProblem(error: unknown): void {
    const found = problemOf(error);
    if (found.code === 'panel.refused') return this.#onProblem(found);
    // How the agent ended says more than the calls that ended with it.
    const isEnd = found.code === 'connection.closed' || found.code === 'agent.exit';
    if (isEnd && this.#state.sent.phase !== 'open') return;
    this.#show(found);
  }

  #show(found: PanelProblem): void {
    this.#state.change({ problem: found });
    this.#onProblem(found);
  }

  async #logIn(methodId: string): Promise<AfterLogin> {
    if (!this.#connection)
      throw new PanelError(problem('connection.closed', 'The agent does not run.', 'restart'));
    const after = await logIn(this.#connection, methodId, this.#options.editor?.loginInTerminal);
    // After the question, whose answer is still being carried out.
    queueMicrotask(() => this.#afterLogin(after));
    return after;
  }

  #afterLogin(after: AfterLogin): void {
    this.#questions.loggedIn(after);
    if (after === 'restart') void this.restart();
  }

  #showQuestions(): void {
    const sessionId = this.session?.sessionId ?? null;
    this.#state.change({
      questions: this.#questions.of(sessionId),
      waiting: this.#questions.besides(sessionId),
    });
  }

  #flush(): void {
    for (const page of [...this.#pages]) page.flush();
    this.#state.announce();
  }
}

function agentOf({
  name,
  title,
  version,
}: {
  name: string;
  title?: string | null;
  version: string;
}): PanelAgent {
  return { name, title: title ?? null, version };
}

function editorActions(editor: PanelEditor = {}): readonly string[] {
  const names = ['openLocation', 'openDiff', 'openLink', 'chooseAttachments', 'loginInTerminal'] as const;
  return names.filter((name) => editor[name] !== undefined);
}
