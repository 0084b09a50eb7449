import { type DiagnosticListener, errorMessage } from '../diagnostic.ts';
import { AcpError, ConnectionClosedError, ConnectionStateError, InvalidParamsError } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import type { Implementation } from '../model/session.ts';
import type {
  AuthStatus,
  ListSessionsParams,
  NewSessionParams,
  OpenSessionParams,
} from '../protocol/calls.ts';
import type { AuthMethod, DialectName } from '../protocol/dialect.ts';
import { type CustomFeature, type Feature, type FeatureReading, featureNames } from '../protocol/feature.ts';
import type { TransportEnd } from '../transport/transport.ts';
import { Caller, type CallOptions } from './calls.ts';
import type { Link } from './link.ts';
import { listSessions, type SessionListing } from './listing.ts';
import { separate } from './parameters.ts';
import { describeEnd, type Restarter } from './reconnect.ts';
import type { Session } from './session.ts';
import { assertOffered, ruledCallOf } from './session-rules.ts';
import { type HistoryPolicy, Sessions } from './sessions.ts';

/** What a connection is doing: `reconnecting` while the agent is started again after a crash. */
export type ConnectionState = 'open' | 'reconnecting' | 'closed';

/** Asks the user to log in, with one of `authMethods`. Resolves when that was done. */
export type AuthRequiredHandler = (request: {
  /** The call that the agent refused for the lack of a login. */
  readonly method: string;
  readonly authMethods: readonly AuthMethod[];
  readonly connection: ClientConnection;
}) => Promise<void> | void;

/** What a connection begins with. */
export interface ConnectionSetup {
  readonly link: Link;
  readonly report: DiagnosticListener;
  readonly stallAfterMs: number;
  readonly onAuthRequired: AuthRequiredHandler | undefined;
  /** How the agent is started again; absent where it is not to be. */
  readonly restarter: Restarter | undefined;
}

/**
 * A connection to one agent: what it can do, and its sessions.
 *
 * Every call is checked against the agent's `initialize` result before it is written: what the agent did not
 * advertise is refused here with a {@link CapabilityError}.
 */
export class ClientConnection implements AsyncDisposable {
  /**
   * Resolves when the connection has ended: everything received is folded, every promise settled, the program
   * reaped where there is one. Says why. Never rejects.
   */
  readonly closed: Promise<TransportEnd>;
  readonly #report: DiagnosticListener;
  readonly #restarter: Restarter | undefined;
  readonly #caller: Caller;
  /** For the connection's own calls, which are made while the user's must wait. */
  readonly #ownCaller: Caller;
  readonly #sessions: Sessions;
  readonly #stateListeners = new Set<(state: ConnectionState) => void>();
  readonly #closing = new AbortController();
  #link: Link;
  #state: ConnectionState = 'open';
  #login: Promise<void> | undefined;
  #markClosed: (end: TransportEnd) => void = () => {};

  // As of a session: what is internal is left out of the declarations, and a constructor must not be.
  private constructor({ link, report, stallAfterMs, onAuthRequired, restarter }: ConnectionSetup) {
    this.#link = link;
    this.#report = report;
    this.#restarter = restarter;
    const logIn = onAuthRequired && ((method: string) => this.#logIn(method, onAuthRequired));
    this.#caller = new Caller(
      () => this.#linkForUser(),
      logIn,
      (method, params) => this.#assertByHand(method, params),
    );
    this.#ownCaller = new Caller(() => this.#link);
    this.#sessions = new Sessions(this.#caller, () => this.#link.dialect, report, stallAfterMs);
    this.closed = new Promise((resolve) => {
      this.#markClosed = resolve;
    });
    this.#watch(link);
  }

  /** @internal Use `connect`. */
  static create(setup: ConnectionSetup): ClientConnection {
    return new ClientConnection(setup);
  }

  /** The version that the agent speaks. Nothing in this API asks you to look at it. */
  get protocolVersion(): 1 | 2 {
    return this.#link.dialect.protocolVersion;
  }

  /** The way the agent speaks its version. */
  get dialect(): DialectName {
    return this.#link.dialect.name;
  }

  /** Who the agent says it is. */
  get agentInfo(): Implementation | undefined {
    return this.#link.agentInfo;
  }

  /** How the user can log in. Empty where no login is needed. */
  get authMethods(): readonly AuthMethod[] {
    return this.#link.authMethods;
  }

  /** The `initialize` result as it came. */
  get initializeResult(): JsonObject {
    return this.#link.initializeResult;
  }

  /** What the agent supports, of all that this library knows: for a settings page. */
  get features(): Readonly<Record<Feature, boolean>> {
    const entries = featureNames.map((feature) => [feature, this.supports(feature)]);
    // The list of names is the record's type, spelled out.
    return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<Feature, boolean>>;
  }

  /** What the connection is doing now. {@link ClientConnection.onStateChange} tells of changes. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** The sessions that are open on this connection. */
  get sessions(): readonly Session[] {
    return this.#sessions.handles;
  }

  /** Whether the agent supports a feature. Never throws. */
  supports(feature: Feature | CustomFeature): boolean {
    return this.explain(feature).supported;
  }

  /** Whether the agent supports a feature, where that was read, and what stood there. Never throws. */
  explain(feature: Feature | CustomFeature): FeatureReading {
    return this.#link.capabilities.explain(feature);
  }

  /** Calls `listener` when the connection's state changes. Returns the way to stop. */
  onStateChange(listener: (state: ConnectionState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => {
      this.#stateListeners.delete(listener);
    };
  }

  /**
   * Begins a new session.
   *
   * @throws {@link InvalidParamsError} if a path is not absolute, or an option unknown.
   * @throws {@link CapabilityError} if an MCP server or the additional directories need what the agent lacks.
   * @throws {@link AuthRequiredError} if the user must log in first.
   *
   * @example
   * ```ts
   * const session = await connection.newSession({ cwd: '/home/user/project' });
   * ```
   * @see https://agentclientprotocol.com/protocol/session-setup#creating-a-session
   */
  newSession(params: NewSessionParams & CallOptions, options?: CallOptions): Promise<Session> {
    return this.#sessions.begin('newSession', ...separate(params, options));
  }

  /**
   * Copies a session into a new one.
   *
   * @experimental
   */
  forkSession(params: OpenSessionParams & CallOptions, options?: CallOptions): Promise<Session> {
    return this.#sessions.begin('forkSession', ...separate(params, options));
  }

  /**
   * Opens a session with its history. Resolves when the whole replay that the agent sent before its answer is
   * folded. Loading a session that is open begins with an empty conversation, and the same `Session` goes on; if
   * the load fails or is given up, it is as it was.
   *
   * @throws {@link CapabilityError} if the agent cannot replay.
   * @throws {@link NotFoundError} if it knows no such session; agents differ in the code they use.
   * @see https://agentclientprotocol.com/protocol/session-setup#loading-sessions
   */
  loadSession(params: OpenSessionParams & CallOptions, options?: CallOptions): Promise<Session> {
    return this.#sessions.reopen('loadSession', ...separate(params, options));
  }

  /**
   * Opens a session without its history.
   *
   * @throws {@link CapabilityError} if the agent cannot.
   * @see https://agentclientprotocol.com/protocol/session-setup#resuming-sessions
   */
  resumeSession(params: OpenSessionParams & CallOptions, options?: CallOptions): Promise<Session> {
    return this.#sessions.reopen('resumeSession', ...separate(params, options));
  }

  /**
   * Opens a session in the best way the agent offers.
   *
   * @param params.history - Default: `prefer`.
   * @throws {@link CapabilityError} if the agent has no way that fits.
   *
   * @example
   * ```ts
   * const session = await connection.restoreSession({ sessionId, cwd, history: 'require' });
   * ```
   */
  async restoreSession(
    params: OpenSessionParams & CallOptions & { readonly history?: HistoryPolicy },
    options?: CallOptions,
  ): Promise<Session> {
    const { history = 'prefer', ...rest } = params;
    const [input, callOptions] = separate(rest, options);
    return this.#sessions.restore(input, history, (feature) => this.supports(feature), callOptions);
  }

  /**
   * The sessions that the agent knows. Iterate for all of them, page after page, or take single pages.
   *
   * @param params.cwd - Only sessions of this folder. Absolute.
   * @throws {@link CapabilityError} at the first page, if the agent cannot list.
   *
   * @example
   * ```ts
   * for await (const { sessionId, title } of connection.listSessions({ cwd })) console.log(sessionId, title);
   * ```
   * @see https://agentclientprotocol.com/protocol/session-list
   */
  listSessions(params: ListSessionsParams & CallOptions = {}, options?: CallOptions): SessionListing {
    return listSessions(this.#caller, ...separate(params, options));
  }

  /**
   * Deletes a session at the agent, open or not. An open one is closed by it; its conversation stays readable.
   *
   * @throws {@link CapabilityError} if the agent cannot.
   * @see https://agentclientprotocol.com/protocol/session-delete
   */
  async deleteSession(sessionId: string, options?: CallOptions): Promise<void> {
    await this.#caller.prepare('deleteSession', { sessionId }, options)();
    this.#sessions.forget(sessionId)?.end();
  }

  /**
   * Puts a session away, so that lists leave it out.
   *
   * @experimental
   */
  async archiveSession(sessionId: string, options?: CallOptions): Promise<void> {
    await this.#caller.prepare('archiveSession', { sessionId }, options)();
  }

  /**
   * Brings back a session that was put away.
   *
   * @experimental
   */
  async unarchiveSession(sessionId: string, options?: CallOptions): Promise<void> {
    await this.#caller.prepare('unarchiveSession', { sessionId }, options)();
  }

  /**
   * Whether a session is held by the agent now (`open`) or only stored. Take what you do not know for `saved`.
   *
   * @experimental
   */
  async sessionStatus(sessionId: string, options?: CallOptions): Promise<string> {
    return (await this.#caller.prepare('sessionStatus', { sessionId }, options)()).status;
  }

  /**
   * Gives a session a title. Show the one it returns.
   *
   * @experimental
   */
  async setSessionTitle(sessionId: string, title: string, options?: CallOptions): Promise<string> {
    return (await this.#caller.prepare('setSessionTitle', { sessionId, title }, options)()).title;
  }

  /**
   * Logs in by a method that the agent offers and carries out itself.
   *
   * @throws {@link InvalidParamsError} if the agent offers no such method, or one that runs in a terminal.
   * @see https://agentclientprotocol.com/protocol/authentication
   */
  async login(methodId: string, options: CallOptions = {}): Promise<void> {
    if (!options.allowUnsupported) this.#assertLogin(methodId);
    await this.#caller.prepare('login', { methodId }, options)();
  }

  /**
   * Logs the user out. Open sessions may answer {@link AuthRequiredError} from then on.
   *
   * @throws {@link CapabilityError} if the agent cannot.
   * @see https://agentclientprotocol.com/protocol/authentication
   */
  async logout(options?: CallOptions): Promise<void> {
    await this.#caller.prepare('logout', {}, options)();
  }

  /**
   * Whether the user is logged in, and as whom.
   *
   * @experimental
   */
  async authStatus(options?: CallOptions): Promise<AuthStatus> {
    return this.#caller.prepare('authStatus', {}, options)();
  }

  /**
   * The model providers that the agent can be pointed at.
   *
   * @experimental
   */
  async listProviders(options?: CallOptions): Promise<readonly JsonObject[]> {
    return (await this.#caller.prepare('listProviders', {}, options)()).providers;
  }

  /**
   * Points the agent at a model provider. Header values are secrets: they go to the agent and nowhere else.
   *
   * @experimental
   */
  async setProvider(
    provider: {
      readonly providerId: string;
      readonly apiType: string;
      readonly baseUrl: string;
      readonly headers?: Readonly<Record<string, string>>;
    },
    options?: CallOptions,
  ): Promise<void> {
    await this.#caller.prepare('setProvider', provider, options)();
  }

  /**
   * Takes a model provider out of use. One that the agent calls required must stay.
   *
   * @experimental
   */
  async disableProvider(providerId: string, options?: CallOptions): Promise<void> {
    await this.#caller.prepare('disableProvider', { providerId }, options)();
  }

  /**
   * Makes a call that is not in the protocol, its name beginning with `_`, or any call of the version spoken, as it
   * is on the wire. The latter is checked as the typed calls are.
   *
   * @returns The result as it came.
   * @throws {@link CapabilityError} if the version spoken has no such method, or the agent lacks what it needs.
   *
   * @example
   * ```ts
   * const result = await connection.request('_example.com/status', { verbose: true });
   * ```
   * @see https://agentclientprotocol.com/protocol/extensibility
   */
  async request(method: string, params?: JsonObject, options: CallOptions = {}): Promise<unknown> {
    return this.#caller.request(method, params, options);
  }

  /** As {@link ClientConnection.request}, where no answer is due. */
  async notify(method: string, params?: JsonObject, options: CallOptions = {}): Promise<void> {
    await this.#caller.notify(method, params, options);
  }

  /**
   * Ends the connection, in order: the agent is told by the end of its input, what it still says is folded, every
   * promise is settled, and the program and all it started are gone. Idempotent.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#link.peer.close();
    await this.closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @internal Where the agent's messages go. */
  get inbox(): Sessions {
    return this.#sessions;
  }

  #linkForUser(): Link {
    if (this.#state !== 'reconnecting') return this.#link;
    throw new ConnectionStateError(
      'The agent ended and is being started again. Nothing was sent. Call again when connection.state is "open".',
    );
  }

  /** Checks a call that is made by hand as the typed one is checked: against its session, or the login methods. */
  #assertByHand(method: string, params: JsonObject): void {
    const { calls } = this.#link.dialect;
    if (method === calls.login?.descriptor.method) this.#assertLogin(String(params['methodId']));
    const name = ruledCallOf(method);
    if (!name) return;
    const session = this.#sessions.live.find(({ sessionId }) => sessionId === params['sessionId']);
    if (session) {
      // The names of the parameters are the same on the wire, and the method's schema has read them.
      assertOffered(name, session.conversation, params as never);
      return;
    }
    throw new ConnectionStateError(
      `${method} names the session ${JSON.stringify(params['sessionId'])}, which is not open here. Nothing was sent. Load or resume it first.`,
      { method },
    );
  }

  #assertLogin(methodId: string): void {
    const { authMethods } = this;
    const method = authMethods.find((candidate) => candidate.methodId === methodId);
    // An agent without any method lacks the capability: the gate says that better.
    if (method?.type === 'agent' || authMethods.length === 0) return;
    const offered = authMethods.filter(({ type }) => type === 'agent').map((candidate) => candidate.methodId);
    const choices =
      offered.length === 0
        ? 'the agent offers none that it carries out itself'
        : `choose one of ${offered.join(', ')}`;
    const how =
      method?.type === 'terminal'
        ? "run the agent's program with the method's args and env, then connect again"
        : 'log in as the agent describes it, then connect again';
    const why = method
      ? `is of type ${method.type}, which is not done over the connection: ${how}`
      : `is not offered: ${choices}`;
    throw new InvalidParamsError(`login: the method ${JSON.stringify(methodId)} ${why}. Nothing was sent.`);
  }

  /** One question to the user, however many calls wait for the login. */
  #logIn(method: string, onAuthRequired: AuthRequiredHandler): Promise<void> {
    this.#login ??= Promise.resolve(
      onAuthRequired({ method, authMethods: this.authMethods, connection: this }),
    ).finally(() => {
      this.#login = undefined;
    });
    return this.#login;
  }

  #watch({ peer }: Link): void {
    peer.closed.then(
      (end) => this.#ended(end),
      (error: unknown) => this.#ended(AcpError.is(error) ? { error } : {}),
    );
  }

  #ended(end: TransportEnd): void {
    if (this.#restarter && !this.#closing.signal.aborted) {
      this.#reconnect(this.#restarter, end).catch((error: unknown) => {
        // Whatever goes wrong while reconnecting, nobody may wait for ever.
        this.#finish(AcpError.is(error) ? { ...end, error } : end);
      });
    } else this.#finish(end);
  }

  #finish(end: TransportEnd): void {
    if (this.#state === 'closed') return;
    const [happened, remedy] = this.#closing.signal.aborted
      ? ['was closed', 'Connect again to go on.']
      : ['ended', 'Start the agent again.'];
    this.#sessions.end(() => turnsEnd(end, happened, remedy));
    this.#enter('closed');
    this.#markClosed(end);
  }

  async #reconnect(restarter: Restarter, end: TransportEnd): Promise<void> {
    this.#enter('reconnecting');
    const remedy =
      'The agent is being started again: the prompt is not, so send it once more if it is still wanted.';
    for (const session of this.#sessions.live) session.interrupt(turnsEnd(end, 'ended', remedy));
    const again = await restarter.restart(this.#closing.signal);
    if (!again.link || this.#closing.signal.aborted) {
      await again.link?.peer.close();
      const error = !again.link && AcpError.is(again.error) ? again.error : end.error;
      this.#finish({ ...end, ...(error && { error }) });
      return;
    }
    this.#link = again.link;
    const { live } = this.#sessions;
    await Promise.all(live.map((session) => this.#sessions.goOn(session, this.#ownCaller, describeEnd(end))));
    if (!this.#closing.signal.aborted) this.#enter('open');
    this.#watch(again.link);
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    for (const listener of [...this.#stateListeners]) {
      try {
        listener(state);
      } catch (error) {
        const message = `A listener for the connection's state threw: ${errorMessage(error)}.`;
        this.#report({ rule: 'subscriber.failed', severity: 'error', message });
      }
    }
  }
}

/** The error of a turn that was under way when the connection ended. */
function turnsEnd({ error, exit }: TransportEnd, happened: string, remedy: string): AcpError {
  // What broke the channel is the better answer, if it is one of ours and says who must act.
  if (error && !(error instanceof ConnectionClosedError) && error.code !== 'agent.exit') return error;
  const how = error ? ` ${error.message}` : '';
  const message = `The connection to the agent ${happened} during the turn.${how}\n${remedy}`;
  return new ConnectionClosedError(message, { exit, cause: error });
}
