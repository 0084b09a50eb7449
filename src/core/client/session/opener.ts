import * as v from 'valibot';
import { type DiagnosticListener, listenerFailed, warning } from '../../base/diagnostic.ts';
import { InvalidMessageError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json.ts';
import { callListener } from '../../base/listeners.ts';
import { callback, checkOptions, oneOf, optional, optionsObject } from '../../base/options.ts';
import { abortWith, withLimits } from '../../base/wait.ts';
import type { Conversation } from '../../model/conversation.ts';
import type { McpServerConfig } from '../../model/mcp-server.ts';
import type { SessionInfo } from '../../model/session.ts';
import type { ConversationUpdate } from '../../model/update.ts';
import type { ForkSessionParams, NewSessionParams, OpenSessionParams } from '../../protocol/calls.ts';
import type { Feature } from '../../protocol/feature.ts';
import { type CallOptions, callOptionEntries } from '../calls/call-options.ts';
import type { Caller } from '../calls/calls.ts';
import { requireOneOf } from '../calls/gate.ts';
import { assertParameters, withoutListed } from '../calls/parameters.ts';
import { assertNoTurn } from './assert-open.ts';
import { describeLoad } from './failed-load.ts';
import { isHistoryDue } from './history-end.ts';
import { sessionClosedError, sessionEnd } from './machine/session-end.ts';
import type { SessionSetup } from './machine/state.ts';
import { assertNamed } from './offered-calls.ts';
import { type PermissionModeOptions, type PermissionModes, permissionModes } from './permission-mode.ts';
import { describedServers, type ProvidedServers } from './provided-servers.ts';
import type { SessionRegistry } from './registry.ts';
import { forkedConversation, savedConversation } from './saved-conversation.ts';
import type { Session, UpdateContext } from './session.ts';

/** Whether a session that is opened again has its history. */
export type HistoryPolicy =
  /** Replayed where the agent can do that, and without history otherwise. */
  | 'prefer'
  /** Replayed, or the call fails. */
  | 'require'
  /** Not replayed, unless the agent can only load. */
  | 'skip';

/** Checks a {@link HistoryPolicy}. */
export const HistoryPolicySchema = oneOf<HistoryPolicy>('prefer', 'require', 'skip');

/** Options of a call that opens a session. */
export interface NewSessionOptions extends CallOptions, PermissionModeOptions {}

/** The progress of a load. */
export interface LoadProgress {
  /** The session that is being loaded. Its conversation grows. */
  readonly session: Session;
  /** The number of updates of the replay that have been folded. */
  readonly updates: number;
}

/** Options of a call that loads a session. */
export interface LoadSessionOptions extends NewSessionOptions {
  /** Called from the first update of the replay on, once for each batch of updates. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /**
   * Called for each update of the session from the first one on, as {@link Session.onUpdate} is: also for those of the
   * replay, which come before the call resolves. It has the `_meta` beside the update, which the conversation does not
   * keep. It is called until the session ends, or until the call fails.
   */
  readonly onUpdate?: ((update: ConversationUpdate, context: UpdateContext) => void) | undefined;
  /**
   * What happens if the session is open and the agent works on a turn. Default: `refuse`, and the call rejects with a
   * {@link ConnectionStateError}. With `load` the session is loaded all the same: what the agent sends until its answer
   * counts as history, and is lost if the load fails.
   */
  readonly duringTurn?: 'refuse' | 'load' | undefined;
  /**
   * A conversation that the editor saved, as `JSON.parse` returns it. The session shows it, and its entries and their keys
   * stay. What the agent replays beyond it is added.
   */
  readonly conversation?: Conversation | undefined;
}

/** Options of a call that resumes a session. */
export interface ResumeSessionOptions extends NewSessionOptions {
  /**
   * A conversation that the editor saved, as `JSON.parse` returns it. The session continues it: its entries and their
   * keys stay, and the client does not request a replay.
   */
  readonly conversation?: Conversation | undefined;
  /** Called for each update of the session from the first one on, also while the call is open. */
  readonly onUpdate?: LoadSessionOptions['onUpdate'];
}

/** Options of `connection.openSession`. */
export interface OpenSessionOptions extends LoadSessionOptions, ResumeSessionOptions {
  /** Whether the session gets its history. Default: `prefer`. Without effect with `conversation`. */
  readonly history?: HistoryPolicy | undefined;
}

/** A call that opens a session again. */
export type Reopening = 'loadSession' | 'resumeSession';

const permissions = optional(v.literal('ask', "must be 'ask'"));
// `savedConversation` checks the conversation and names what is wrong in it.
const reopening = { conversation: optional(v.unknown()), onUpdate: optional(callback), permissions };
const duringTurn = optional(oneOf('refuse', 'load'));
const loading = { ...callOptionEntries, onProgress: optional(callback), ...reopening, duringTurn };
const optionsSchemas = {
  newSession: optionsObject({ ...callOptionEntries, permissions }),
  forkSession: optionsObject({ ...callOptionEntries, permissions }),
  loadSession: optionsObject(loading),
  resumeSession: optionsObject({ ...callOptionEntries, ...reopening }),
  openSession: optionsObject({ ...loading, history: optional(HistoryPolicySchema) }),
};

const reopeningFeature: Readonly<Record<Reopening, Feature>> = {
  loadSession: 'session.load',
  resumeSession: 'session.resume',
};

/** The calls that can open a session again, the preferred one first. */
export const reopeningOrder: Readonly<Record<HistoryPolicy, readonly [Reopening, ...Reopening[]]>> = {
  prefer: ['loadSession', 'resumeSession'],
  require: ['loadSession'],
  skip: ['resumeSession', 'loadSession'],
};

const newKeys = ['cwd', 'mcpServers', 'additionalDirectories', 'systemPrompt', 'configOptions', '_meta'];
const openKeys = ['sessionId', ...newKeys];
const forkKeys = ['cursorId', ...openKeys];

/** Checks what a call that opens a session was given, and returns its parameters. */
function checkedParams(
  call: keyof typeof optionsSchemas,
  given: NewSessionParams | SessionInfo,
  options: CallOptions,
): ForkSessionParams {
  const isNew = call === 'newSession';
  // A new session has no id, and nothing reads one.
  const params = isNew ? (given as OpenSessionParams) : withoutListed(given as OpenSessionParams);
  assertParameters(call, params, isNew ? newKeys : call === 'forkSession' ? forkKeys : openKeys);
  checkOptions(call, optionsSchemas[call], options, 'Nothing was sent.');
  return params;
}

/** What opens sessions, of the parts of a connection. */
export interface OpenerParts {
  readonly caller: Caller;
  readonly registry: SessionRegistry;
  readonly servers: ProvidedServers;
  readonly report: DiagnosticListener;
}

/** Opens sessions: new ones, and those that the agent keeps. */
export class SessionOpener {
  readonly #parts: OpenerParts;
  readonly permissionModes: PermissionModes;
  /** What is under way for each session id: one call after the other, so that two replays cannot mix. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(parts: OpenerParts) {
    this.#parts = parts;
    this.permissionModes = permissionModes(parts.caller, parts.report);
  }

  /** Opens a session whose id the agent gives. */
  async create(
    name: 'newSession' | 'forkSession',
    given: NewSessionParams | SessionInfo,
    options: NewSessionOptions,
  ): Promise<Session> {
    const params = checkedParams(name, given, options);
    return this.#parts.servers.open(params.mcpServers, this.#parts.caller, async (mcpServers) => {
      const send = this.#parts.caller.prepare(name, { ...params, mcpServers }, callOptionsOf(options), {
        onAbandoned: (late) => this.#closeLate(late),
      });
      const source = this.#parts.registry.get(params.sessionId);
      if (source && !options.allowUnsupported) {
        assertNamed('session/fork', source.runner.conversation, params);
      }
      const setup = setupOf(params, options);
      void this.#checkDirectory(setup.cwd);
      this.#parts.registry.expect(setup);
      try {
        const opened = await send();
        if (!opened.sessionId) {
          throw new InvalidMessageError('The agent created a session and answered without its id.', {
            method: 'session/new',
          });
        }
        const { runner, session } = this.#parts.registry.confirm(opened.sessionId, setup);
        const { conversation: shown } = runner;
        const saved = forkedConversation(shown, source?.runner.conversation, params.cursorId);
        if (saved) runner.dispatch({ type: 'reopen', mode: 'keep', shown, saved });
        runner.opened(setup, { opened, mayReplayOn: saved !== undefined });
        await this.permissionModes.opened(session, options);
        return session;
      } finally {
        this.#parts.registry.stopExpecting(setup);
      }
    });
  }

  /** Beside the call: the agent decides whether it uses a directory that does not exist. */
  async #checkDirectory(cwd: string): Promise<void> {
    if ((await this.#parts.caller.link.hasDirectory?.(cwd)) !== false) return;
    const message = `A session is opened in ${cwd}, which is not a directory on this machine. Create it, or pass another cwd. If the agent runs on another machine, pass paths to connect.`;
    this.#parts.report(warning('session.missing_directory', message));
  }

  /** Opens a session again, or returns it where it is open. */
  async open(given: OpenSessionParams | SessionInfo, options: OpenSessionOptions): Promise<Session> {
    const params = checkedParams('openSession', given, options);
    const { history = 'prefer', conversation: saved, allowUnsupported } = options;
    const order = reopeningOrder[saved ? 'skip' : history];
    const features = order.map((candidate) => reopeningFeature[candidate]);
    if (allowUnsupported !== true)
      requireOneOf(features, 'openSession', this.#parts.caller.link.capabilities);
    const isOffered = (candidate: Reopening) => this.#parts.caller.supports(reopeningFeature[candidate]);
    const call = order.find(isOffered) ?? order[0];
    return this.#inOrder(params.sessionId, options.signal, async () => {
      const open = this.#parts.registry.get(params.sessionId);
      if (open && open.runner.status !== 'closing') return open.session;
      return this.#reopen(call, params, options);
    });
  }

  /** Opens a session whose id is known. */
  async reopen(
    call: Reopening,
    given: OpenSessionParams | SessionInfo,
    options: LoadSessionOptions & ResumeSessionOptions,
  ): Promise<Session> {
    const params = checkedParams(call, given, options);
    // Checked before it waits for its turn, so that a wrong call fails at once.
    const described = { ...params, mcpServers: describedServers(params.mcpServers) };
    this.#parts.caller.prepare(call, described, callOptionsOf(options));
    return this.#inOrder(params.sessionId, options.signal, () => this.#reopen(call, params, options));
  }

  /** Closes a session at the agent that nothing here needs: the user closed it meanwhile. The agent can refuse. */
  closeAgain(sessionId: string): void {
    const close = async () => this.#parts.caller.prepare('closeSession', { sessionId })();
    close().catch(() => {});
  }

  async #reopen(call: Reopening, params: OpenSessionParams, options: OpenSessionOptions): Promise<Session> {
    const { sessionId } = params;
    await this.#parts.registry.get(sessionId)?.runner.notClosing();
    await this.#parts.registry.abandonedLoads.untilQuiet(sessionId, options.signal);
    const open = this.#parts.registry.get(sessionId)?.runner;
    if (call === 'loadSession' && open && options.duringTurn !== 'load') assertNoTurn(open, 'session/load');
    const session = await this.#parts.servers.open(params.mcpServers, this.#parts.caller, (mcpServers) =>
      this.#reopenWith(mcpServers, call, params, options),
    );
    await this.permissionModes.opened(session, options);
    return session;
  }

  async #reopenWith(
    mcpServers: readonly McpServerConfig[] | undefined,
    call: Reopening,
    params: OpenSessionParams,
    options: OpenSessionOptions,
  ): Promise<Session> {
    const { sessionId } = params;
    const control = new AbortController();
    let isAbandoned = false;
    const ownOptions = { ...callOptionsOf(options), signal: control.signal };
    const send = this.#parts.caller.prepare(call, { ...params, mcpServers }, ownOptions, {
      onAbandoned: (late) => {
        isAbandoned = true;
        if (isReplayed) this.#parts.registry.abandonedLoads.add(sessionId, late);
      },
    });
    const known = this.#parts.registry.get(sessionId);
    const saved = options.conversation && savedConversation(call, sessionId, options.conversation, known);
    const setup = setupOf(params, options);
    const { runner, session } = known ?? this.#parts.registry.register(sessionId, setup);
    const isReplayed = call === 'loadSession';
    const stopListening = abortWith(control, options.signal);
    const stopUpdates = options.onUpdate && session.onUpdate(options.onUpdate);
    if (isReplayed && !saved) {
      const abandon = () => control.abort(sessionClosedError(call, sessionId));
      const onReplayed = options.onProgress && this.#progressOf(session, options.onProgress);
      runner.load({ abandon, onReplayed });
    } else {
      const { conversation: shown } = runner;
      runner.dispatch({ type: 'reopen', mode: 'keep', isReplayed, shown, ...(saved && { saved }) });
    }
    try {
      const opened = await send();
      if (runner.status === 'closed' || runner.status === 'closing') {
        throw sessionClosedError(call, sessionId);
      }
      runner.opened(setup, {
        opened,
        mayReplayOn: isReplayed,
        isHistoryDue: isHistoryDue(this.#parts.caller.link.agent, runner),
        replayed: runner.conversation,
      });
      return session;
    } catch (error) {
      stopUpdates?.();
      runner.dispatch({ type: 'reopen_failed', isAbandoned, replayed: runner.conversation });
      if (!known) {
        runner.dispatch({ type: 'closed', end: sessionEnd('notOpened', error), error });
        void this.#parts.registry.forget(sessionId);
      }
      if (isReplayed) describeLoad(error, runner.whole);
      throw error;
    } finally {
      stopListening();
      runner.whole = undefined;
    }
  }

  /** Runs a task after those of the same session that are under way. An abort ends the wait. */
  async #inOrder<T>(sessionId: string, signal: AbortSignal | undefined, task: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(sessionId);
    const run = before ? withLimits(before, { signal }).then(task) : task();
    // A task that was aborted while it waited does not let the next one begin early.
    const all = Promise.allSettled([before, run]);
    this.#queues.set(sessionId, all);
    void all.then(() => {
      if (this.#queues.get(sessionId) === all) this.#queues.delete(sessionId);
    });
    return run;
  }

  /** Calls `onProgress` from the first update on, once for each batch of updates. */
  #progressOf(session: Session, onProgress: NonNullable<LoadSessionOptions['onProgress']>): () => void {
    let updates = 0;
    let isDue = false;
    const notify = () => {
      isDue = false;
      callListener(() => onProgress({ session, updates }), listenerFailed('onProgress', this.#parts.report));
    };
    return () => {
      updates++;
      if (!isDue) queueMicrotask(notify);
      isDue = true;
    };
  }

  /** A session that the agent created after the caller had given up is not left open at the agent. */
  #closeLate(late: Promise<unknown>): void {
    const close = (result: unknown) => {
      const sessionId = isJsonObject(result) ? result['sessionId'] : undefined;
      if (typeof sessionId === 'string' && !this.#parts.registry.get(sessionId)) this.closeAgain(sessionId);
    };
    late.then(close, () => {});
  }
}

function callOptionsOf(options: OpenSessionOptions) {
  const { signal, timeoutMs, allowUnsupported, meta, extraParams, requires } = options;
  return { signal, timeoutMs, allowUnsupported, meta, extraParams, requires } satisfies Required<CallOptions>;
}

/** What a session is opened with again. The caller may use its lists for the next session. */
function setupOf(params: NewSessionParams, { requires }: CallOptions): SessionSetup {
  const { cwd, mcpServers, additionalDirectories, systemPrompt, _meta } = params;
  return {
    cwd,
    ...(mcpServers && { mcpServers: [...mcpServers] }),
    ...(additionalDirectories && { additionalDirectories: [...additionalDirectories] }),
    ...(systemPrompt && { systemPrompt }),
    ...(requires && { requires }),
    ...(_meta && { _meta }),
  };
}
