import type { JsonObject } from '../base/json.ts';
import type { Implementation, SessionInfo } from '../model/session.ts';
import type {
  ForkSessionParams,
  ListSessionsParams,
  NewSessionParams,
  OpenSessionParams,
  SessionOptions,
  SessionOptionsParams,
} from '../protocol/calls.ts';
import type { AuthMethod, DialectName } from '../protocol/dialect.ts';
import type { CustomFeature, Feature, FeatureReading } from '../protocol/feature.ts';
import type { AgentNotifications, AgentRequests } from '../protocol/requests.ts';
import type { TransportEnd } from '../transport/transport.ts';
import type { CallOptions, NamedCallOptions } from './calls/call-options.ts';
import type { SessionListing } from './listing.ts';
import type {
  LoadSessionOptions,
  NewSessionOptions,
  OpenSessionOptions,
  ResumeSessionOptions,
} from './session/opener.ts';
import type { Session } from './session/session.ts';

/**
 * The state of a connection: `reconnecting` while the agent is started again after it ended unexpectedly, or while a
 * remote one cannot be reached. {@link ClientConnection.reconnection} says when the next attempt begins.
 */
export type ConnectionState = 'open' | 'reconnecting' | 'closed';

/** The parameters of a request: those of the protocol for its methods, and any object for other methods. */
export type RequestParams<M extends string> = M extends keyof AgentRequests
  ? AgentRequests[M]['params']
  : JsonObject | undefined;

/** The result of a request: that of the protocol for its methods, and `unknown` for other methods. */
export type RequestResult<M extends string> = M extends keyof AgentRequests
  ? AgentRequests[M]['result']
  : unknown;

/** The parameters of a notification. */
export type NotificationParams<M extends string> = M extends keyof AgentNotifications
  ? AgentNotifications[M]
  : JsonObject | undefined;

/** Asks the user to log in with one of `authMethods`. Resolves when the user has logged in. */
export type AuthRequiredHandler = (request: {
  /** The method that the agent refused for the lack of a login. */
  readonly method: string;
  /** The agent's own sentence, on one line. Absent if it gave none. */
  readonly reason?: string | undefined;
  readonly authMethods: readonly AuthMethod[];
  readonly connection: ClientConnection;
}) => Promise<void> | void;

/** The attempts to start or reach an agent again. */
export interface Reconnection {
  /**
   * When the next attempt begins, in milliseconds as `Date.now()` counts them. `null` while an attempt is under way, and
   * while the state of the connection is not `reconnecting`. {@link Reconnection.onNextAttempt} reports changes.
   *
   * @example
   * ```ts
   * const { nextAttemptAt } = connection.reconnection;
   * if (nextAttemptAt !== null) show(`Offline, next try in ${Math.ceil((nextAttemptAt - Date.now()) / 1000)} s`);
   * ```
   */
  readonly nextAttemptAt: number | null;
  /**
   * Calls `listener` with {@link Reconnection.nextAttemptAt} when it changes: before each wait with its end, and with
   * `null` when the attempt begins. Returns the function that removes the listener.
   */
  onNextAttempt(listener: (nextAttemptAt: number | null) => void): () => void;
  /**
   * Begins the next attempt at once, and lets the waits after it begin with the shortest one. If an attempt is under way
   * and fails, the next one begins at once. Call it when the user asks for it, and in Node when the system is online
   * again. A page does not need it: its event `online` does the same. The attempt counts like any other. Has no effect
   * unless the state is `reconnecting`.
   */
  retryNow(): void;
}

/**
 * A connection to one agent: its capabilities and its sessions.
 *
 * Every call is checked against the agent's `initialize` result before it is written. A call that the agent did not
 * advertise is refused with a {@link CapabilityError}.
 */
export interface ClientConnection extends AsyncDisposable {
  /** The negotiated protocol version. You do not need it to use this API. */
  readonly protocolVersion: 1 | 2;
  /** The dialect of the protocol that the agent uses. */
  readonly dialect: DialectName;
  /** Name and version of the agent, if it reports them. */
  readonly agentInfo: Implementation | undefined;
  /** The login methods. Empty if the agent offers none. It can still require a login. */
  readonly authMethods: readonly AuthMethod[];
  /** The `initialize` result as it was received. */
  readonly initializeResult: JsonObject;
  /** Whether the agent supports each feature that this library knows, for example for a settings page. */
  readonly features: Readonly<Record<Feature, boolean>>;
  /** The current state of the connection. {@link ClientConnection.onStateChange} reports changes. */
  readonly state: ConnectionState;
  /** The attempts to start or reach the agent again, while the state is `reconnecting`. */
  readonly reconnection: Reconnection;
  /**
   * Resolves when the connection is open and no lost session is being opened again: immediately, or when that is done.
   * Rejects with a {@link ConnectionClosedError} when the connection is closed.
   *
   * @example
   * ```ts
   * await connection.ready;
   * await session.prompt('Go on.');
   * ```
   */
  readonly ready: Promise<void>;
  /** The sessions that are open on this connection. */
  readonly sessions: readonly Session[];
  /** Whether the connection has ended for good: the state is `closed`. */
  readonly isClosed: boolean;
  /**
   * Resolves when the connection has ended: everything received is folded, every promise is settled, and the agent's
   * process has exited. Its value says why. Never rejects.
   */
  readonly closed: Promise<TransportEnd>;

  /** Whether the agent supports a feature. Never throws. */
  supports(feature: Feature | CustomFeature): boolean;

  /** Whether the agent supports a feature, with the path and the value in the `initialize` result. Never throws. */
  explain(feature: Feature | CustomFeature): FeatureReading;

  /** Calls `listener` when the state of the connection changes. Returns the function that removes the listener. */
  onStateChange(listener: (state: ConnectionState) => void): () => void;

  /**
   * Creates a session in the directory `cwd`, an absolute path, which is the only field that it needs. The other fields are
   * `mcpServers`, `additionalDirectories`, `systemPrompt`, `_meta`, and `configOptions`, which are values for the settings of
   * an agent with `session.options`: `[{ configId: 'model', value: 'small' }]`. Agents ask for a login here: see
   * `onAuthRequired` of `connect`.
   *
   * @param options.permissions - `ask`: selects the setting with which the agent asks for permission, before the call
   *   resolves. It works for the agents that this library knows. Default: the agent's own setting stays.
   * @throws {@link InvalidParamsError} if a path is not absolute, or a parameter is unknown.
   * @throws {@link CapabilityError} if the agent does not have the capability for an MCP server or for additional
   *   directories.
   * @throws {@link AuthRequiredError} if the user must log in first.
   *
   * @example
   * ```ts
   * const session = await connection.newSession({ cwd: '/home/user/project' }, { permissions: 'ask' });
   * ```
   * @see https://agentclientprotocol.com/protocol/session-setup#creating-a-session
   */
  newSession(params: NewSessionParams, options?: NewSessionOptions): Promise<Session>;

  /**
   * Asks what a session would start with, without opening it: for the screen on which a user chooses the model of a new
   * session. Pass the chosen values as `configOptions` to the call that opens the session.
   *
   * @returns A snapshot. The session itself says what it has started with.
   * @throws {@link CapabilityError} if the agent does not support `session.options`.
   *
   * @example
   * ```ts
   * const settings = settingsOf(await connection.sessionOptions({ cwd }));
   * const model = settings.find(({ category }) => category === 'model');
   * const configOptions = model && [{ configId: model.settingId, value: 'large' }];
   * const session = await connection.newSession({ cwd, configOptions });
   * ```
   * @experimental
   * @see https://agentclientprotocol.com/rfds/session-options
   */
  sessionOptions(params: SessionOptionsParams, options?: CallOptions): Promise<SessionOptions>;

  /**
   * Copies a session into a new one: the whole session, or its history up to a cursor.
   *
   * @example
   * ```ts
   * const cursor = session.conversation.cursors?.findLast(({ capabilities }) => capabilities?.fork);
   * const copy = await connection.forkSession({ sessionId, cwd, cursorId: cursor?.cursorId });
   * ```
   * @experimental
   */
  forkSession(params: ForkSessionParams | SessionInfo, options?: NewSessionOptions): Promise<Session>;

  /**
   * Opens a session with its history. Resolves when everything that the agent replayed before its answer is folded.
   * Loading an open session begins with an empty conversation in the same `Session`. If the load fails or is aborted,
   * the entries and plans are what they were before. Settings, title, usage and commands keep the values that the agent
   * sent meanwhile.
   *
   * @throws {@link CapabilityError} if the agent cannot replay.
   * @throws {@link NotFoundError} if the agent does not know the session. Some agents use another error code.
   *
   * @example
   * ```ts
   * await connection.loadSession({ sessionId, cwd }, { onProgress: ({ updates }) => showProgress(updates) });
   * ```
   * @see https://agentclientprotocol.com/protocol/session-setup#loading-sessions
   */
  loadSession(params: OpenSessionParams | SessionInfo, options?: LoadSessionOptions): Promise<Session>;

  /**
   * Opens a session without a replay, empty or with a conversation that the editor saved.
   *
   * @throws {@link CapabilityError} if the agent cannot resume.
   *
   * @example
   * ```ts
   * const conversation = JSON.parse(await readFile('session.json', 'utf8'));
   * const session = await connection.resumeSession({ sessionId, cwd }, { conversation });
   * ```
   * @see https://agentclientprotocol.com/protocol/session-setup#resuming-sessions
   */
  resumeSession(params: OpenSessionParams | SessionInfo, options?: ResumeSessionOptions): Promise<Session>;

  /**
   * Opens a session with the best call that the agent offers. If the session is open, returns it unchanged.
   *
   * @param options.history - Whether the session gets its history. Default: `prefer`.
   * @throws {@link CapabilityError} if the agent does not support a suitable call.
   *
   * @example
   * ```ts
   * const session = await connection.openSession({ sessionId, cwd }, { history: 'require' });
   * // A listed session can be passed as it is. Its title, time and metadata are not sent.
   * for await (const listed of connection.listSessions()) await connection.openSession(listed);
   * ```
   */
  openSession(params: OpenSessionParams | SessionInfo, options?: OpenSessionOptions): Promise<Session>;

  /**
   * Lists the sessions that the agent knows. Iterate over all of them, or fetch single pages.
   *
   * @param params.cwd - Only sessions of this directory. Absolute.
   * @throws {@link CapabilityError} at the first page, if the agent cannot list.
   *
   * @example
   * ```ts
   * for await (const { sessionId, title } of connection.listSessions({ cwd })) console.log(sessionId, title);
   * ```
   * @see https://agentclientprotocol.com/protocol/session-list
   */
  listSessions(params?: ListSessionsParams, options?: CallOptions): SessionListing;

  /**
   * Deletes a session at the agent, open or not. An open session is closed, and its conversation stays readable.
   *
   * @throws {@link CapabilityError} if the agent cannot delete.
   * @see https://agentclientprotocol.com/protocol/session-delete
   */
  deleteSession(sessionId: string, options?: CallOptions): Promise<void>;

  /**
   * Logs in with a method that the agent offers and performs itself.
   *
   * @throws {@link CapabilityError} if the agent has no methods.
   * @throws {@link InvalidParamsError} if the agent does not offer this one, or it runs in a terminal.
   * @see https://agentclientprotocol.com/protocol/authentication
   */
  login(methodId: string, options?: CallOptions): Promise<void>;

  /**
   * Logs the user out. Calls on open sessions can then reject with an {@link AuthRequiredError}.
   *
   * @throws {@link CapabilityError} if the agent does not support it.
   * @see https://agentclientprotocol.com/protocol/authentication
   */
  logout(options?: CallOptions): Promise<void>;

  /**
   * Sends a request by its name on the wire: an extension method, whose name begins with `_`, or a method of the
   * version that the agent speaks. A method of the protocol is checked like the typed calls, with the settings and tool
   * calls that it names. Whether the session is open is not checked: a prompt for a closed one is sent. A method that is
   * newer than this library is sent if the agent advertises the capability that `requires` names.
   *
   * @returns The result as it was received. It is not checked against the protocol.
   * @throws {@link CapabilityError} if the version does not have the method, or the agent does not have the capability
   *   for it, or the one that `requires` names.
   *
   * @example
   * ```ts
   * const result = await connection.request('_example.com/status', { verbose: true });
   * // A method that is newer than this library, if the agent advertises its capability.
   * await connection.request('session/budget', { sessionId }, { requires: 'session.budget' });
   * ```
   * @see https://agentclientprotocol.com/protocol/extensibility
   */
  request<M extends keyof AgentRequests | (string & {})>(
    method: M,
    params?: RequestParams<M>,
    options?: NamedCallOptions,
  ): Promise<RequestResult<M>>;

  /** Sends a notification by its name on the wire, with the same checks as {@link ClientConnection.request}. */
  notify<M extends keyof AgentNotifications | (string & {})>(
    method: M,
    params?: NotificationParams<M>,
    options?: NamedCallOptions,
  ): Promise<void>;

  /**
   * Closes the connection. Requests that wait for the user are answered `cancelled`, the agent's input is closed, the
   * rest of its output is folded, every promise is settled, its process is ended, and its terminals are released.
   * Further calls have no effect.
   */
  close(): Promise<void>;
}
