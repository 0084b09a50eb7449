import { listenerFailed } from '../base/diagnostic.ts';
import { AcpError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import { ListenerSet } from '../base/listeners.ts';
import { deferred, settlesWithin } from '../base/wait.ts';
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
import { type CustomFeature, type Feature, type FeatureReading, featureNames } from '../protocol/feature.ts';
import type { AgentNotifications, AgentRequests } from '../protocol/requests.ts';
import { macrotask } from '../transport/macrotask.ts';
import type { SessionLoss, TransportEnd } from '../transport/transport.ts';
import type { CallOptions, NamedCallOptions } from './calls/call-options.ts';
import { callSite, runCall } from './calls/call-site.ts';
import type { Caller } from './calls/calls.ts';
import type { Link } from './calls/link.ts';
import { assertLoginMethod } from './calls/login.ts';
import { assertParameters } from './calls/parameters.ts';
import type {
  ClientConnection,
  ConnectionState,
  NotificationParams,
  Reconnection,
  RequestParams,
  RequestResult,
} from './connection.ts';
import type { ConnectionParts } from './connection-parts.ts';
import { listSessions, type SessionListing } from './listing.ts';
import { checkRequest, updateOfAnswer } from './raw-request.ts';
import { crashedAgentLimitMs, describeEnd, turnError } from './reconnect.ts';
import type { MessageRouter } from './requests/index.ts';
import type { Restarter } from './restarter.ts';
import { returns } from './returns.ts';
import { sessionEnd } from './session/machine/session-end.ts';
import {
  type LoadSessionOptions,
  type NewSessionOptions,
  type OpenSessionOptions,
  type ResumeSessionOptions,
  SessionOpener,
} from './session/opener.ts';
import { releaseLimitMs, type SessionRegistry } from './session/registry.ts';
import type { RegisteredSession } from './session/runner.ts';
import type { Session } from './session/session.ts';

const promptIsNotRepeated = 'The prompt is not sent again: send it once more if it is still needed.';

/** The connection behind {@link ClientConnection}: its state, its calls, and its end. */
export class OpenConnection implements ClientConnection {
  readonly #closed = deferred<TransportEnd>();
  readonly closed = this.#closed.promise;
  readonly #caller: Caller;
  readonly #registry: SessionRegistry;
  readonly #router: MessageRouter;
  readonly #opener: SessionOpener;
  readonly #restarter: Restarter | undefined;
  readonly #stateListeners: ListenerSet<[ConnectionState]>;
  readonly #attemptListeners: ListenerSet<[number | null]>;
  readonly #closing = new AbortController();
  readonly #returns: ReturnType<typeof returns>;
  /** Resolves when the connection has ended for good and its terminals are released. */
  readonly terminalsClosed: Promise<void>;
  readonly reconnection: Reconnection;
  #state: ConnectionState = 'open';
  #shutDown: Promise<void> | undefined;

  constructor(parts: ConnectionParts) {
    const { link, caller, registry, router, report, restarter } = parts;
    this.#caller = caller;
    this.#registry = registry;
    this.#router = router;
    this.#restarter = restarter;
    this.#opener = new SessionOpener(parts);
    this.#returns = returns(
      () => this.#state,
      (id) => registry.get(id)?.runner,
    );
    caller.lost = restarter?.lostCalls((sessionId) => this.#returns.wait(sessionId));
    this.#stateListeners = new ListenerSet(
      listenerFailed('A listener for the state of the connection', report),
    );
    this.#attemptListeners = new ListenerSet(listenerFailed('A listener for the next attempt', report));
    this.reconnection = {
      get nextAttemptAt() {
        return restarter?.nextAttemptAt ?? null;
      },
      onNextAttempt: (listener) => this.#attemptListeners.add(listener),
      retryNow: () => {
        if (this.#state === 'reconnecting') restarter?.retryNow();
      },
    };
    this.terminalsClosed = this.closed.then(() => router.closeTerminals());
    this.#attach(link);
  }

  readonly #checkRequest = (method: string, params: JsonObject) =>
    checkRequest(this.#caller.link, this.#registry, method, params);

  get #link(): Link {
    return this.#caller.link;
  }

  get protocolVersion(): 1 | 2 {
    return this.#link.dialect.protocolVersion;
  }

  get dialect(): DialectName {
    return this.#link.dialect.name;
  }

  get agentInfo(): Implementation | undefined {
    return this.#link.agentInfo;
  }

  get authMethods(): readonly AuthMethod[] {
    return this.#link.authMethods;
  }

  get initializeResult(): JsonObject {
    return this.#link.initializeResult;
  }

  get features(): Readonly<Record<Feature, boolean>> {
    const entries = featureNames.map((feature) => [feature, this.supports(feature)]);
    // The list of names is the keys of the record.
    return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<Feature, boolean>>;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  get ready(): Promise<void> {
    const ready = this.#returns.ready(() => this.#restarter?.sessions.rejoined());
    // Reading the property is not awaiting it, so it must not cause an unhandled rejection.
    ready.catch(() => {});
    return ready;
  }

  get sessions(): readonly Session[] {
    return this.#registry.sessions.map(({ session }) => session);
  }

  supports(feature: Feature | CustomFeature): boolean {
    return this.#caller.supports(feature);
  }

  explain(feature: Feature | CustomFeature): FeatureReading {
    return this.#link.capabilities.explain(feature);
  }

  onStateChange(listener: (state: ConnectionState) => void): () => void {
    return this.#stateListeners.add(listener);
  }

  newSession(params: NewSessionParams, options: NewSessionOptions = {}): Promise<Session> {
    return runCall(this, 'newSession', () => this.#opener.create('newSession', params, options));
  }

  sessionOptions(params: SessionOptionsParams, options: CallOptions = {}): Promise<SessionOptions> {
    return runCall(this, 'sessionOptions', () => {
      assertParameters('sessionOptions', params, ['cwd', 'additionalDirectories', 'sessionId', '_meta']);
      return this.#caller.prepare('sessionOptions', params, options)();
    });
  }

  forkSession(params: ForkSessionParams | SessionInfo, options: NewSessionOptions = {}): Promise<Session> {
    return runCall(this, 'forkSession', () => this.#opener.create('forkSession', params, options));
  }

  loadSession(params: OpenSessionParams | SessionInfo, options: LoadSessionOptions = {}): Promise<Session> {
    return runCall(this, 'loadSession', () => this.#opener.reopen('loadSession', params, options));
  }

  resumeSession(
    params: OpenSessionParams | SessionInfo,
    options: ResumeSessionOptions = {},
  ): Promise<Session> {
    return runCall(this, 'resumeSession', () => this.#opener.reopen('resumeSession', params, options));
  }

  openSession(params: OpenSessionParams | SessionInfo, options: OpenSessionOptions = {}): Promise<Session> {
    return runCall(this, 'openSession', () => this.#opener.open(params, options));
  }

  listSessions(params: ListSessionsParams = {}, options: CallOptions = {}): SessionListing {
    return listSessions(this.#caller, params, options, callSite(this, 'listSessions'));
  }

  deleteSession(sessionId: string, options: CallOptions = {}): Promise<void> {
    return runCall(this, 'deleteSession', async () => {
      const send = this.#caller.prepare('deleteSession', { sessionId }, options);
      const open = this.#registry.get(sessionId);
      if (!open) return send();
      try {
        await open.runner.close('deleted', send);
      } finally {
        if (open.session.isClosed) await this.#registry.forget(sessionId);
      }
    });
  }

  login(methodId: string, options: CallOptions = {}): Promise<void> {
    return runCall(this, 'login', async () => {
      const send = this.#caller.prepare('login', { methodId }, options);
      if (!options.allowUnsupported) assertLoginMethod(methodId, this.authMethods);
      await send();
    });
  }

  logout(options: CallOptions = {}): Promise<void> {
    return runCall(this, 'logout', () => this.#caller.prepare('logout', {}, options)());
  }

  request<M extends keyof AgentRequests | (string & {})>(
    method: M,
    params?: RequestParams<M>,
    options: NamedCallOptions = {},
  ): Promise<RequestResult<M>> {
    return runCall(this, 'request', async () => {
      const answer = await this.#caller.request({ method, params, check: this.#checkRequest }, options);
      const update = updateOfAnswer(method, answer);
      const session = this.#registry.get(String(Object(params).sessionId));
      if (update) session?.runner.dispatch({ type: 'changed', update });
      // The type of the result is what the protocol says. What the agent sent is not checked.
      return answer as RequestResult<M>;
    });
  }

  notify<M extends keyof AgentNotifications | (string & {})>(
    method: M,
    params?: NotificationParams<M>,
    options: NamedCallOptions = {},
  ): Promise<void> {
    return runCall(this, 'notify', () =>
      this.#caller.notify({ method, params, check: this.#checkRequest }, options),
    );
  }

  close(): Promise<void> {
    this.#shutDown ??= this.#close();
    return this.#shutDown;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#router.cancelRequests();
    for (const { runner } of this.#registry.sessions) runner.dispatch({ type: 'cancel_requests' });
    // The answers are written before the agent's input is closed.
    await new Promise<void>(macrotask);
    await this.#link.peer.close();
    await this.closed;
    await settlesWithin(this.terminalsClosed, releaseLimitMs);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #attach(link: Link): void {
    this.#caller.attach(link);
    link.peer.closed.then(
      (end) => this.#linkEnded(end),
      (error: unknown) => this.#linkEnded(AcpError.is(error) ? { error } : {}),
    );
  }

  #linkEnded({ error, exit }: TransportEnd): void {
    // The agent's last words are in both.
    const { secrets } = this.#caller;
    const end: TransportEnd = {
      ...(error && { error: secrets.removeFromError(error) }),
      ...(exit && { exit: secrets.removeFromData(exit) }),
    };
    if (!this.#restarter || this.#closing.signal.aborted) return this.#finish(end);
    this.#reconnect(this.#restarter, end).catch((error: unknown) => {
      // Why the agent could not be started. Any other error must not leave a promise unsettled.
      this.#finish(AcpError.is(error) ? { ...end, error } : end);
    });
  }

  /** The messages of a session no longer arrive, although the connection continues. */
  loseSession({ sessionId, error: received, canReturn }: SessionLoss): void {
    const lost = this.#registry.get(sessionId);
    // A restart opens all sessions again.
    if (!lost || this.#state !== 'open') return;
    const { runner } = lost;
    const cause = this.#caller.secrets.removeFromError(received);
    const end = sessionEnd('lost', cause);
    const interruption = this.#describe({ error: cause });
    const restarter = canReturn && !this.#closing.signal.aborted ? this.#restarter : undefined;
    const remedy = restarter
      ? `The session is opened again automatically. ${promptIsNotRepeated}`
      : 'Load or resume the session to continue.';
    const error = turnError({ error: cause }, 'lost the session', remedy);
    if (!restarter) {
      runner.dispatch({ type: 'closed', end, error, interruption });
      void this.#registry.forget(sessionId);
      return;
    }
    runner.dispatch({ type: 'link_lost', error, interruption, holds: restarter.holdsPrompts });
    // One that is being closed is not opened again.
    if (runner.status === 'closing') return;
    const { isOpened } = restarter.sessions.rejoin(lost, this.#caller, restarter.rejoin);
    void this.#restored(lost, isOpened, restarter);
  }

  /** Resolves when the settings of a session that is open again are those that it was opened with. */
  #restored(
    lost: RegisteredSession,
    isOpened: boolean | Promise<boolean>,
    restarter: Restarter,
  ): Promise<void> | undefined {
    if (typeof isOpened !== 'boolean') void isOpened.then((done) => this.#restored(lost, done, restarter));
    if (isOpened !== true) return undefined;
    // The user closed it meanwhile.
    if (lost.session.isClosed) this.#opener.closeAgain(lost.session.sessionId);
    lost.runner.dispatch(restarter.restored(this.#caller));
    this.#returns.changed();
    return this.#opener.permissionModes.reopened(lost.session);
  }

  #finish(end: TransportEnd): void {
    if (this.#state === 'closed') return;
    // A call from now on is refused for the end, and not because the agent is being started.
    this.#caller.attach(this.#link);
    const isAsked = this.#closing.signal.aborted;
    const [happened, remedy] = isAsked
      ? ['was closed', 'Connect again to continue.']
      : ['ended', 'Start the agent again.'];
    const ended = sessionEnd('connectionClosed', end.error);
    const interruption = isAsked ? undefined : this.#describe(end);
    this.#registry.end(ended, () => turnError(end, happened, remedy), interruption);
    this.#enter('closed');
    this.#closed.resolve(end);
  }

  async #reconnect(restarter: Restarter, end: TransportEnd): Promise<void> {
    this.#caller.detach();
    this.#enter('reconnecting');
    const remedy = `The agent is started again automatically. ${promptIsNotRepeated}`;
    const interruption = this.#describe(end);
    for (const { runner } of this.#registry.sessions) {
      const error = turnError(end, 'ended', remedy);
      runner.dispatch({ type: 'link_lost', error, interruption, holds: restarter.holdsPrompts });
    }
    // Two processes of one agent would use its files at the same time.
    await settlesWithin(this.#link.peer.close(), crashedAgentLimitMs);
    const { signal } = this.#closing;
    const link = await restarter.restart(signal, (at) => this.#attemptListeners.notify(at));
    if (signal.aborted) {
      await link.peer.close();
      return this.#finish(end);
    }
    const restoring = this.#caller.restoring(link);
    const rejoined = await restarter.sessions.rejoinAll(restoring, restarter.rejoin);
    this.#attach(link);
    if (signal.aborted) return;
    const settings = rejoined.flatMap(
      ({ session, isOpened }) => this.#restored(session, isOpened, restarter) ?? [],
    );
    if (settings.length > 0) await Promise.all(settings);
    this.#enter('open');
  }

  #describe(end: TransportEnd): string {
    return describeEnd(end, this.agentInfo?.title ?? this.agentInfo?.name);
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#returns.changed();
    this.#stateListeners.notify(state);
  }
}
