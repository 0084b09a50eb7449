import type { ClientConnection } from '../client/connection.ts';
import type { Session } from '../client/session/session.ts';
import { listenerForErrors } from '../listeners.ts';
import { type ActionHost, perform } from './actions.ts';
import { AgentRuns } from './agent-runs.ts';
import type { PanelChannel } from './channel.ts';
import { Frame } from './frame.ts';
import { HostState } from './host-state.ts';
import { logIn } from './login.ts';
import { randomId } from './messages.ts';
import { assertChannel, editorActions, type Limits, type PanelOptions, readPanelOptions } from './options.ts';
import { Page } from './pages.ts';
import { PanelError, problem } from './panel-error.ts';
import { problemOf } from './problems.ts';
import { Questions } from './questions.ts';
import { isSuperseded, Sessions } from './sessions.ts';
import type { PanelProblem, PanelState } from './state.ts';

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
  /**
   * Calls `listener` after changes of {@link ServedPanel.state}, at most once in a frame. Returns the function that
   * removes it.
   */
  subscribe(listener: () => void): () => void;
  /**
   * Adds a page, such as a second tab, or a page that was loaded again over a new WebSocket. A channel with `ended` is
   * removed when it ends. Returns the function that removes the page.
   *
   * A closed panel, and one that has the maximum number of pages, does not add the page, and tells `onProblem`.
   *
   * @throws {@link InvalidParamsError} if it is no channel.
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
 * Everything that a page sends is checked here. A page cannot choose a command, a path outside of the workspace, a
 * session that is not listed, an answer that a question does not have, or a setting that the agent does not offer.
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
 * panel.attach(webSocketChannel(socket));
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

/** The phases with a problem that an action does not remove: it says how the agent ended. */
const lasting: ReadonlySet<PanelState['phase']> = new Set(['starting', 'reconnecting', 'closed']);

class PanelHost implements ServedPanel {
  readonly #limits: Limits;
  readonly #run = randomId();
  readonly #pages = new Set<Page>();
  readonly #frame = new Frame(() => this.#flush());
  readonly #state: HostState;
  readonly #sessions: Sessions;
  readonly #questions: Questions;
  readonly #runs: AgentRuns;
  readonly #onProblem: (problem: PanelProblem) => void;
  readonly #actionHost: ActionHost;
  #closing: Promise<void> | undefined;

  constructor(options: PanelOptions, limits: Limits) {
    this.#limits = limits;
    this.#onProblem = listenerForErrors((found: PanelProblem) => options.onProblem?.(found));
    const reportFault = (error: unknown) => this.#onProblem(problemOf(error));
    const showError = (error: unknown) => this.#showError(error);
    const state = new HostState(
      editorActions(options.editor),
      () => this.session?.conversation ?? null,
      () => this.#frame.request(),
      reportFault,
    );
    const sessions = new Sessions({
      options,
      limits,
      state,
      reportFault,
      showError,
      onChange: () => this.#frame.request(),
      onShown: () => this.#showQuestions(),
    });
    const login = async (methodId: string) => {
      const after = await logIn(await this.#runs.ready(), methodId, options.editor?.loginInTerminal);
      this.#questions.loggedIn(after);
      if (after === 'restart') void this.restart();
      return after;
    };
    const questions = new Questions(() => this.#showQuestions(), login);
    const show = (found: PanelProblem) => this.#show(found);
    this.#state = state;
    this.#sessions = sessions;
    this.#questions = questions;
    this.#runs = new AgentRuns({ options, state, sessions, questions, show, showError });
    this.#actionHost = {
      options,
      sessions,
      questions,
      connection: () => this.#runs.ready(),
      restart: () => this.restart(),
      login,
      dismissProblem: () => state.change({ problem: null }),
      setDraft: (draft) => state.change({ draft }),
      putBack: (draft) => {
        if (state.sent.draft === '') state.change({ draft });
      },
      showError,
      chosen: new Set(),
    };
  }

  get connection(): ClientConnection | undefined {
    return this.#runs.connection;
  }

  get session(): Session | undefined {
    return this.#sessions.shown;
  }

  get state(): PanelState {
    return this.#state.whole;
  }

  get started(): Promise<void> {
    return this.#runs.started;
  }

  subscribe(listener: () => void): () => void {
    return this.#state.subscribe(listener);
  }

  attach(channel: PanelChannel): () => void {
    assertChannel('attach', channel);
    const { pages } = this.#limits;
    // Not thrown: the handler of a new socket would end the program.
    if (this.#closing || this.#pages.size >= pages) {
      const why = this.#closing ? 'is closed' : `has ${pages} pages, which is its limit: see limits.pages`;
      this.#onProblem(problem('panel.pages', `A page was not attached, because the panel ${why}.`));
      return () => {};
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
    void this.#runs.start(() => this.#sessions.remembered());
  }

  restart(): Promise<void> {
    if (this.#closing) return Promise.resolve();
    const { session } = this;
    const shown = session && { sessionId: session.sessionId, cwd: session.cwd };
    return this.#runs.start(() => shown ?? this.#sessions.remembered());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const stopped = this.#runs.stop();
    this.#state.change({ phase: 'closed', loading: null });
    this.#frame.runNow();
    for (const page of this.#pages) page.close();
    this.#pages.clear();
    this.#sessions.stop();
    await stopped;
    this.#state.announce();
    this.#frame.stop();
  }

  async #act(name: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (!lasting.has(this.#state.sent.phase)) this.#state.change({ problem: null });
    try {
      return await perform(this.#actionHost, name, params);
    } catch (error) {
      if (isSuperseded(error)) {
        throw new PanelError(problem('panel.superseded', 'Another session was opened meanwhile.'));
      }
      this.#showError(error);
      throw error;
    }
  }

  /** Shows an error of an action. What a page must not do is not shown: the user did not ask for it. */
  #showError(error: unknown): void {
    const found = problemOf(error);
    if (found.code === 'panel.refused') return this.#onProblem(found);
    // How the agent ended says more than the calls that ended with it.
    const isEnd = found.code === 'connection.closed' || found.code === 'agent.exit';
    if (isEnd && this.#state.sent.problem && lasting.has(this.#state.sent.phase)) return;
    this.#show(found);
  }

  #show(found: PanelProblem): void {
    this.#state.change({ problem: found });
    this.#onProblem(found);
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
