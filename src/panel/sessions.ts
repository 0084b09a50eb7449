import type { ClientConnection } from '../client/connection.ts';
import type { Session } from '../client/session/session.ts';
import { AcpError } from '../errors.ts';
import type { SessionInfo } from '../model/session.ts';
import { onAbort } from '../wait.ts';
import type { HostState } from './host-state.ts';
import type { Limits, PanelOptions, RememberedSession } from './options.ts';
import { refused } from './problems.ts';
import { foldersOf, isInside } from './workspace.ts';

/** How many sessions the agent may list for each one that can be shown. */
const listedForEach = 20;

/** What the sessions need of their host. */
export interface SessionsHost {
  readonly options: PanelOptions;
  readonly limits: Limits;
  readonly state: HostState;
  /** Takes a fault that the user does not see. */
  readonly reportFault: (error: unknown) => void;
  /** Called when the conversation that is shown has changed. */
  readonly onChange: () => void;
  /** Shows an error to the user. */
  readonly showError: (error: unknown) => void;
  /** Called when another session is shown. */
  readonly onShown: () => void;
}

/** The sessions of one agent: the list, and the one that is shown. */
export class Sessions {
  readonly #host: SessionsHost;
  #connection: ClientConnection | undefined;
  #shown: Session | undefined;
  #stopFollowing: () => void = () => {};
  /** What the agent listed last. */
  #listed: readonly SessionInfo[] = [];
  /** Ends the opening that is under way. */
  #opening: AbortController | undefined;
  #listing: Promise<void> | undefined;
  /** The session of that opening. */
  #opened: Promise<Session> | undefined;

  constructor(host: SessionsHost) {
    this.#host = host;
  }

  /** The session that is shown. It can be closed: its conversation stays readable. */
  get shown(): Session | undefined {
    return this.#shown;
  }

  /** Uses another connection, or none. The session that is shown stays until another one is. */
  use(connection: ClientConnection | undefined): void {
    this.#opening?.abort();
    this.#connection = connection;
    this.#listed = [];
    this.#listing = undefined;
  }

  /** Lists the sessions again. Calls at the same time share a listing. */
  refresh(): Promise<void> {
    if (this.#listing) return this.#listing;
    const listing = this.#list().finally(() => {
      if (this.#listing === listing) this.#listing = undefined;
    });
    this.#listing = listing;
    return listing;
  }

  async #list(): Promise<void> {
    const connection = this.#connection;
    const { listedSessions } = this.#host.limits;
    if (!connection?.supports('session.list')) return this.update();
    const found = new Map<string, SessionInfo>();
    let seen = 0;
    for await (const info of connection.listSessions()) {
      if (++seen > listedSessions * listedForEach) break;
      if (this.#isAllowed(info.cwd)) found.set(info.sessionId, shortInfo(info));
      if (found.size === listedSessions) break;
    }
    if (connection !== this.#connection) return;
    this.#listed = [...found.values()];
    this.update();
  }

  /** Shows what is known of the sessions: the agent's list, and the open sessions that are not in it. */
  update(): void {
    const open = this.#connection?.sessions ?? [];
    const known = new Set(this.#listed.map(({ sessionId }) => sessionId));
    const added = open
      .filter(({ sessionId, isClosed }) => !known.has(sessionId) && !isClosed)
      .map(({ sessionId, cwd, conversation: { info } }) => ({ sessionId, cwd, ...info }))
      .reverse();
    const titles = new Map(open.map(({ sessionId, conversation }) => [sessionId, conversation.info.title]));
    const listed = this.#listed.map((info) => {
      const title = titles.get(info.sessionId);
      return title == null || title === info.title ? info : { ...info, title };
    });
    this.#host.state.change({ sessions: [...added, ...listed] });
  }

  /** Lists the sessions again. No caller waits for the list, so an error is reported. */
  refreshLater(): void {
    this.refresh().catch(this.#host.reportFault);
  }

  /**
   * The session that is being opened or shown. If there is none, a new one: one for all calls that need it at the same
   * time.
   */
  async current(connection: ClientConnection): Promise<Session> {
    while (this.#opened) {
      const opened = await this.#opened.catch(() => undefined);
      if (opened) return opened;
    }
    return this.#shown ?? this.create(connection);
  }

  /** Opens the session that was shown when the host or the agent was started last. */
  async restore(connection: ClientConnection, remembered: RememberedSession): Promise<void> {
    try {
      await this.reopen(connection, remembered);
    } catch (error) {
      if (isSuperseded(error) || connection !== this.#connection) return;
      // The next start does not try it again. After a login it is tried again.
      const code = AcpError.is(error) ? error.code : '';
      const isGone =
        code === 'usage.capability' || (code.startsWith('remote') && code !== 'remote.auth_required');
      if (isGone) this.#remember(undefined);
      this.#host.showError(error);
    }
  }

  /** Creates a session and shows it. */
  async create(connection: ClientConnection): Promise<Session> {
    return this.#open(async (signal) => connection.newSession(this.#parameters(connection), { signal }));
  }

  /**
   * Opens a session of the list and shows it.
   *
   * @throws a refusal if the session is neither listed nor open.
   */
  async open(connection: ClientConnection, sessionId: string): Promise<Session> {
    const { cwd } = this.#known(connection, sessionId);
    return this.reopen(connection, { sessionId, cwd });
  }

  /** Opens a session that was shown before, and shows it while its history arrives. */
  async reopen(connection: ClientConnection, { sessionId, cwd }: RememberedSession): Promise<Session> {
    const before = this.#shown;
    this.#host.state.change({ loading: { updates: 0 } });
    return this.#open(async (signal) => {
      const parameters = { ...this.#parameters(connection), sessionId, cwd };
      try {
        return await connection.openSession(parameters, {
          signal,
          onProgress: ({ session, updates }) => {
            if (signal.aborted) return;
            this.#show(session);
            this.#host.state.change({ loading: { updates } });
          },
        });
      } catch (error) {
        // What was shown before stays, and not a part of the history.
        if (!signal.aborted && this.#shown?.sessionId === sessionId) this.#show(before);
        throw error;
      }
    });
  }

  /** Deletes a session at the agent. */
  async delete(connection: ClientConnection, sessionId: string): Promise<void> {
    this.#known(connection, sessionId);
    await connection.deleteSession(sessionId);
    this.#listed = this.#listed.filter((info) => info.sessionId !== sessionId);
    this.#leave(sessionId);
  }

  /** Closes a session at the agent. It stays in the agent's list. */
  async close(connection: ClientConnection, sessionId: string): Promise<void> {
    const session = connection.sessions.find((candidate) => candidate.sessionId === sessionId);
    if (!session) throw refused('The session is not open.');
    await session.close();
    this.#leave(sessionId);
  }

  /** Stops following the session that is shown. */
  stop(): void {
    this.#opening?.abort();
    this.#stopFollowing();
  }

  #leave(sessionId: string): void {
    if (this.#shown?.sessionId === sessionId) this.#show(undefined);
    this.update();
  }

  /** Runs a task that opens a session, and shows the session unless another one was opened meanwhile. */
  #open(task: (signal: AbortSignal) => Promise<Session>): Promise<Session> {
    this.#opening?.abort();
    const opening = new AbortController();
    const { signal } = opening;
    const opened = task(signal)
      .then((session) => {
        if (!signal.aborted) this.#show(session);
        return session;
      })
      .finally(() => {
        if (this.#opening !== opening) return;
        this.#opening = undefined;
        this.#opened = undefined;
        this.#host.state.change({ loading: null });
      });
    this.#opening = opening;
    this.#opened = opened;
    return opened;
  }

  #show(session: Session | undefined): void {
    if (session === this.#shown) return;
    this.#stopFollowing();
    this.#shown = session;
    const sessionId = session?.sessionId ?? null;
    this.#stopFollowing = session ? this.#follow(session) : () => {};
    this.#host.state.change({ sessionId });
    this.update();
    this.#host.onShown();
    this.#remember(session && { sessionId: session.sessionId, cwd: session.cwd });
  }

  /** Keeps the title in the list, and tells when the session is lost. */
  #follow(session: Session): () => void {
    const over = new AbortController();
    let { info } = session.conversation;
    const unsubscribe = session.store.subscribe(() => {
      this.#host.onChange();
      if (info === session.conversation.info) return;
      info = session.conversation.info;
      this.update();
    });
    void session.closed.then(({ reason, error }) => {
      if (!over.signal.aborted && reason === 'notRestored') this.#host.showError(error);
    });
    onAbort(over.signal, unsubscribe);
    return () => over.abort();
  }

  #remember(session: RememberedSession | undefined): void {
    const { memory } = this.#host.options;
    const remember = async () => memory?.set(session);
    remember().catch(this.#host.reportFault);
  }

  /** What a session is opened with. An agent that cannot take the other folders does not get them. */
  #parameters(connection: ClientConnection) {
    const { cwd, additionalDirectories = [], mcpServers } = this.#host.options.workspace();
    const withFolders =
      additionalDirectories.length > 0 && connection.supports('session.additionalDirectories');
    return {
      cwd,
      ...(withFolders && { additionalDirectories }),
      ...(mcpServers && { mcpServers }),
    };
  }

  #known(connection: ClientConnection, sessionId: string): RememberedSession {
    const known = [...this.#listed, ...connection.sessions].find((one) => one.sessionId === sessionId);
    if (known) return { sessionId, cwd: known.cwd };
    throw refused('The panel does not list this session. List the sessions again.');
  }

  #isAllowed(cwd: string): boolean {
    const { sessions = 'workspace', workspace } = this.#host.options;
    return sessions === 'all' || isInside(cwd, foldersOf(workspace()));
  }

  /** The session of the memory, if it is one of this workspace. */
  remembered(): RememberedSession | undefined {
    try {
      const kept = this.#host.options.memory?.get();
      // What an editor keeps can be of an older version, or be damaged.
      if (typeof kept?.sessionId !== 'string' || typeof kept.cwd !== 'string') return undefined;
      return this.#isAllowed(kept.cwd) ? { sessionId: kept.sessionId, cwd: kept.cwd } : undefined;
    } catch (error) {
      this.#host.reportFault(error);
      return undefined;
    }
  }
}

/** What a page needs of a session: not its metadata. */
function shortInfo({ sessionId, cwd, title, updatedAt }: SessionInfo): SessionInfo {
  return { sessionId, cwd, ...(title != null && { title }), ...(updatedAt != null && { updatedAt }) };
}

/** Whether an opening was given up because another session was opened. */
export function isSuperseded(error: unknown): boolean {
  return !AcpError.is(error) && error instanceof Error && error.name === 'AbortError';
}
