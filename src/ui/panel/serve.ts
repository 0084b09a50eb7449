import { ListenerSet } from '../../core/base/listeners.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { PanelChannel } from './channel.ts';
import { Delivery } from './delivery.ts';
import { frameFor } from './frame-timer.ts';
import { PanelHost } from './host.ts';
import { assertChannel, type Limits, type PanelOptions, readPanelOptions } from './options.ts';
import { problem } from './panel-error.ts';
import type { PanelState } from './state.ts';
import { emptyState, withConversation } from './whole-state.ts';

/** A panel that is served: its agent, the session that is shown, and its pages. */
export interface ServedPanel extends AsyncDisposable {
  /** The connection to the agent. `undefined` while it is being started, and if it is not running. */
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
  /**
   * Starts another one of `state.agents`, as `chooseAgent` of a page does. `null`: ends the agent, so that the user can
   * choose another one. Resolves as {@link ServedPanel.started} does.
   *
   * @throws {@link PanelError} if the list does not have the agent. Then nothing has changed.
   */
  chooseAgent(agentId: string | null): Promise<void>;
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
  const served = new Served(options, limits);
  if (channel) served.attach(channel);
  void served.restart();
  return served;
}

class Served implements ServedPanel {
  readonly #host: PanelHost;
  readonly #pages = new Set<Delivery>();
  readonly #frame = frameFor(() => this.#flushAll());
  readonly #listeners: ListenerSet<[]>;
  #whole: PanelState = emptyState;
  #announced: PanelState = emptyState;
  #closing: Promise<void> | undefined;

  constructor(options: PanelOptions, limits: Limits) {
    this.#host = new PanelHost(options, limits, () => this.#frame.request());
    this.#listeners = new ListenerSet((error) => this.#host.problems.fault(error));
  }

  get connection(): ClientConnection | undefined {
    return this.#host.connection;
  }

  get session(): Session | undefined {
    return this.#host.session;
  }

  get state(): PanelState {
    const { session, runner } = this.#host;
    this.#whole = withConversation(this.#whole, runner.sentState, session?.conversation ?? null);
    return this.#whole;
  }

  get started(): Promise<void> {
    return this.#host.started;
  }

  subscribe(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  attach(channel: PanelChannel): () => void {
    assertChannel('attach', channel);
    const { pages } = this.#host.limits;
    // Not thrown: the handler of a new socket would end the program.
    if (this.#closing || this.#pages.size >= pages) {
      const why = this.#closing ? 'is closed' : `has ${pages} pages, which is its limit: see limits.pages`;
      this.#host.problems.report(
        problem('panel.pages', `A page was not attached, because the panel ${why}.`),
      );
      return () => {};
    }
    const detach = () => {
      this.#pages.delete(page);
      page.close();
    };
    const page = new Delivery(channel, this.#host, this.#frame, detach);
    this.#pages.add(page);
    return detach;
  }

  restart(): Promise<void> {
    return this.#closing ? Promise.resolve() : this.#host.start();
  }

  chooseAgent(agentId: string | null): Promise<void> {
    return this.#closing ? Promise.resolve() : this.#host.chooseAgent(agentId);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const stopped = this.#host.close();
    for (const page of this.#pages) page.finish(panelClosed);
    this.#pages.clear();
    await stopped;
    this.#announce();
    this.#frame.stop();
  }

  #flushAll(): void {
    for (const page of [...this.#pages]) page.flush();
    this.#announce();
  }

  /** Calls the listeners if something has changed since they were called last. */
  #announce(): void {
    const { state } = this;
    if (state === this.#announced) return;
    this.#announced = state;
    this.#listeners.notify();
  }
}

const panelClosed = problem('connection.closed', 'The host of the panel was closed.');
