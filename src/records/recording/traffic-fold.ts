import { agentOf } from '../../agents/find.ts';
import { type DiagnosticListener, errorMessage, warning } from '../../core/base/diagnostic.ts';
import { ConnectionClosedError, InvalidMessageError } from '../../core/base/errors.ts';
import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { describeExit } from '../../core/base/process-exit.ts';
import { type DescribedAgent, describeAgent, selectDialect } from '../../core/client/calls/link.ts';
import { readResult } from '../../core/client/calls/read-result.ts';
import { describeEnd } from '../../core/client/reconnect.ts';
import { isHistoryDue, takeHistoryEnd } from '../../core/client/session/history-end.ts';
import { unknownSession } from '../../core/client/session/registry.ts';
import type { SubagentUpdate } from '../../core/model/update.ts';
import type { AgentKnowledge } from '../../core/protocol/agent-knowledge.ts';
import type { CallName, Calls } from '../../core/protocol/calls.ts';
import type { Dialect, DialectName } from '../../core/protocol/dialect.ts';
import { dialects } from '../../core/protocol/dialects.ts';
import { localDialect } from '../../core/protocol/local-dialect.ts';
import type { PathMap } from '../../core/protocol/path-map.ts';
import { replacePaths } from '../../core/protocol/replace-paths.ts';
import { cancelled } from '../../core/rpc/codes.ts';
import { errorIn, remoteError } from '../../core/rpc/remote-error.ts';
import { type RecordedEnd, readChannelNote } from '../../core/trace/notes.ts';
import type { TransportEnd } from '../../core/transport/transport.ts';
import { AgentRequests, terminalExit } from './agent-requests.ts';
import { idKey, paramsOf, type RecordedMessage } from './recorded-message.ts';
import { type OpenCall, sessionCalls } from './session-calls.ts';
import { type FoldContext, SessionFold } from './session-fold.ts';

/** Information that a recording does not contain. */
export interface FoldTrafficOptions {
  /** The agent's dialect, if the recording does not contain its answer to `initialize`. */
  readonly dialect?: DialectName | undefined;
  /** The map with which it was recorded, for conversations with the editor's paths. Default: those of the recording. */
  readonly paths?: PathMap | undefined;
}

const cancelMethod = '$/cancel_request';

/**
 * Folds the messages of a recording one after the other, in both directions: each goes to the session that it is about,
 * and changes that session as it did in the client. What comes later for a session continues its transcript, also from
 * another process of the agent.
 */
export class TrafficFold implements FoldContext {
  readonly report: DiagnosticListener;
  readonly #paths: PathMap | undefined;
  readonly #requests = new AgentRequests(this);
  /** In the order in which the recording names them first. */
  readonly #sessions = new Map<string, SessionFold>();
  /** The sessions whose id a later start of the agent has given to another one. */
  readonly #earlier: SessionFold[] = [];
  /** The sessions that the current run of the agent has opened. */
  readonly #opened = new Set<SessionFold>();
  /** The calls without an answer, with their methods, by their ids. */
  readonly #calls = new Map<string, { readonly method: string; readonly call: OpenCall }>();
  readonly #changed = new Set<SessionFold>();
  /** The sessions whose conversations may lack something of a replay. */
  readonly #waiting = new Set<SessionFold>();
  /** The calls under way that create a session. */
  #creating = 0;
  #isUnknownReported = false;
  /** The agent of the last run, as it has described itself. */
  agent: DescribedAgent | undefined;
  knowledge: AgentKnowledge = agentOf({});
  now = 0;

  constructor(report: DiagnosticListener, { dialect, paths }: FoldTrafficOptions = {}) {
    this.report = report;
    this.#paths = paths;
    // The agent of the option says nothing of itself.
    if (dialect) this.#describe(dialect, {});
  }

  get dialect(): Dialect {
    if (!this.agent) throw new TypeError('unreachable: without an agent nothing is folded');
    return this.agent.dialect;
  }

  /** The sessions of the recording so far. */
  get sessions(): readonly SessionFold[] {
    return [...this.#earlier, ...this.#sessions.values()].filter(({ isListed }) => isListed);
  }

  /** The sessions whose conversations may have changed since the last call. */
  takeChanged(): readonly SessionFold[] {
    const listed = [...this.#changed].filter(({ isListed }) => isListed);
    this.#changed.clear();
    return listed;
  }

  changed(session: SessionFold): void {
    this.#changed.add(session);
    this.#waiting.add(session);
  }

  /** Nothing has come until this time. Returns whether a conversation still lacks something of a replay. */
  wait(t: number): boolean {
    this.now = t;
    for (const session of this.#waiting) if (!session.wait()) this.#waiting.delete(session);
    return this.#waiting.size > 0;
  }

  /** Folds the next message. */
  take({ dir, t, message }: RecordedMessage): void {
    this.wait(t);
    const { id, method } = message;
    if (dir === 'out' && method === 'initialize') {
      this.#calls.clear();
      this.#opened.clear();
      this.#calls.set(idKey(id), { method, call: this.#introduction });
    } else if (dir === 'out') this.#send(message);
    else if (typeof method === 'string') this.#receive(method, message);
    else this.#answered(message);
  }

  // --- The agent ---------------------------------------------------------------------------------------------------

  #describe(name: DialectName, result: JsonObject): void {
    const paths = this.#paths;
    this.knowledge = agentOf(result);
    this.agent = describeAgent(paths ? localDialect(dialects[name], paths) : dialects[name], result);
  }

  readonly #introduction: OpenCall = {
    answered: (result) => {
      if (!isJsonObject(result)) return;
      try {
        this.#describe(selectDialect(result, [2, 1], this.report), result);
      } catch (error) {
        this.report({ rule: 'protocol.dialect', severity: 'error', message: errorMessage(error) });
      }
    },
    failed() {},
  };

  /** Whether it is known what the agent speaks. If not, this is said once. */
  #isKnown(method: string): boolean {
    if (this.agent) return true;
    if (!method.startsWith('session/') || this.#isUnknownReported) return false;
    this.#isUnknownReported = true;
    const message = 'The recording does not hold the answer to initialize, so that its version is not known.';
    this.report({ rule: 'protocol.dialect', severity: 'error', message });
    return false;
  }

  /** The agent has ended. A session goes on when a call opens it again. */
  end({ exitCode, signal = null, error }: RecordedEnd): void {
    const exit = exitCode === undefined ? undefined : { exitCode, signal, stderrTail: '' };
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    const sessions = [...this.#sessions.values()].filter(({ isWaiting }) => !isWaiting);
    const ended = this.#lost(sessions, {
      ...(error && { error }),
      ...(exit && { exit }),
    });
    for (const { call } of calls) call.failed(ended);
    for (const session of sessions) this.#release(session);
    const what = exit
      ? `The agent ${describeExit(exit)} here, before the client closed the connection.`
      : error
        ? `The connection to the agent broke here. ${error.message}`
        : 'The agent closed the connection here, before the client did.';
    this.report(warning('connection.ended', what));
  }

  /** The commands of the client have ended with the agent, or with its session. */
  #release(session: SessionFold): void {
    for (const terminal of Object.values(session.conversation.terminals)) {
      const update = terminalExit(terminal, {});
      if (update) session.dispatch({ type: 'terminal', update });
    }
  }

  #lost(sessions: readonly SessionFold[], end: TransportEnd): ConnectionClosedError {
    const { title, name } = this.agent?.agentInfo ?? {};
    const interruption = describeEnd(end, title ?? name);
    const error = new ConnectionClosedError(interruption);
    for (const session of sessions) session.dispatch({ type: 'link_lost', error, interruption });
    return error;
  }

  // --- Messages from the agent -------------------------------------------------------------------------------------

  #receive(method: string, message: JsonObject): void {
    const params = paramsOf(message);
    const { sessionId } = params;
    const fault = readChannelNote(message);
    if (fault?.type === 'sessionLost') {
      const lost = this.#sessions.get(fault.sessionId);
      if (lost) this.#lost([lost], fault);
    } else if (fault) this.#settle(fault.id, (call) => call.failed(fault.error));
    else if (!this.#isKnown(method)) return;
    else if (method === 'session/update') this.#update(sessionId, params);
    else if (method === cancelMethod) this.#requests.withdrawn(params['requestId']);
    else if (message['id'] === undefined) this.#notified(method, params);
    else if (typeof sessionId === 'string') this.#requests.take(this.#sessionOf(sessionId), message, params);
  }

  #update(sessionId: unknown, params: JsonObject): void {
    if (typeof sessionId !== 'string') {
      const message = 'The agent sent an update without a session id.';
      return this.report(warning('protocol.malformed_update', message, params));
    }
    const session = this.#sessionOf(sessionId);
    session.updates++;
    if (session.state.phase === 'closed') this.report(unknownSession(sessionId, params));
    else session.receive(params);
  }

  #notified(method: string, params: JsonObject): void {
    takeHistoryEnd(this.knowledge, method, params, this.#sessions.values());
    const notice = this.knowledge.subagentNotice?.(method, params);
    if (notice) this.#sessionOf(notice.sessionId).receive(notice);
  }

  takeSubagent(parent: SessionFold, { sessionId, state }: SubagentUpdate): void {
    const isNew = !this.#sessions.has(sessionId);
    const session = this.#sessionOf(sessionId);
    session.isSubagent ||= isNew;
    if (isNew) parent.dispatch({ type: 'worked', about: { sessionId } });
    if (state) session.dispatch({ type: 'update', update: { ...state, sessionUpdate: 'state_update' } });
  }

  #answered(message: JsonObject): void {
    this.#settle(message['id'], (call, method) => {
      const error = errorIn(method, message);
      if (error) call.failed(error);
      else call.answered(message['result']);
    });
  }

  #settle(id: unknown, settle: (call: OpenCall, method: string) => void): void {
    const open = this.#calls.get(idKey(id));
    this.#calls.delete(idKey(id));
    if (!open) return;
    try {
      settle(open.call, open.method);
    } catch (error) {
      // The answer does not match the protocol.
      if (!(error instanceof InvalidMessageError)) throw error;
      open.call.failed(error);
    }
  }

  // --- Messages from the client ------------------------------------------------------------------------------------

  #send(message: JsonObject): void {
    const { id, method } = message;
    if (typeof method !== 'string') return this.#requests.answered(message);
    if (!this.#isKnown(method)) return;
    const params = paramsOf(message);
    if (method === cancelMethod) return this.#abandon(idKey(params['requestId']));
    const call = this.#begin(method, params);
    if (call && id !== undefined) this.#calls.set(idKey(id), { method, call });
  }

  #abandon(id: string): void {
    const call = this.#calls.get(id)?.call;
    if (call?.abandoned) return call.abandoned();
    this.#calls.delete(id);
    // An agent that cancels a call answers so.
    call?.failed(remoteError('', cancelled, '', undefined));
  }

  #begin(method: string, params: JsonObject): OpenCall | undefined {
    const { sessionId, replayFrom } = params;
    if (method === 'session/new') return this.#create('newSession', {});
    if (method === 'session/fork') return this.#create('forkSession', params);
    if (typeof sessionId !== 'string') return undefined;
    if (method === 'session/load') return this.#reopen(sessionId, 'loadSession');
    if (method === 'session/resume')
      return this.#reopen(sessionId, isJsonObject(replayFrom) ? 'loadSession' : 'resumeSession');
    const begin = Object.hasOwn(sessionCalls, method) ? sessionCalls[method] : undefined;
    if (!begin) return undefined;
    const paths = this.#paths;
    const schema = paths && this.dialect.agentMethods[method]?.params;
    return begin({
      session: this.#sessionOf(sessionId),
      method,
      params: schema ? replacePaths(schema, params, paths.toEditor) : params,
      read: (name, result) => this.#read(name, result),
    });
  }

  #read<K extends CallName>(name: K, result: unknown): Calls[K][1] {
    const call = this.dialect.calls[name];
    if (!call) throw new InvalidMessageError(`This version does not have ${name}.`, { method: name });
    // Sound: the table pairs each call's name with its output.
    return call.decode(readResult(call.descriptor, result, this.report)) as Calls[K][1];
  }

  /** The session with this id. One whose opening the recording lacks is taken as open. */
  #sessionOf(sessionId: string): SessionFold {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const session = new SessionFold(sessionId, this);
    this.#sessions.set(sessionId, session);
    // An agent can use a session before it answers the call that creates the session.
    if (this.#creating === 0) session.opened({}, { mayReplayOn: false });
    return session;
  }

  #create(name: 'newSession' | 'forkSession', { sessionId, cursorId }: JsonObject): OpenCall {
    this.#creating++;
    const failed = () => void this.#creating--;
    return {
      answered: (result) => {
        const opened = this.#read(name, result);
        failed();
        if (!opened.sessionId) return;
        const known = this.#sessions.get(opened.sessionId);
        if (name === 'newSession' && known?.isOpened && !this.#opened.has(known)) {
          this.#earlier.push(known);
          this.#sessions.delete(opened.sessionId);
        }
        const session = this.#sessionOf(opened.sessionId);
        session.isOpened = true;
        this.#opened.add(session);
        session.forked(opened, this.#sessions.get(String(sessionId)), cursorId);
      },
      failed,
    };
  }

  #reopen(sessionId: string, name: 'loadSession' | 'resumeSession'): OpenCall {
    const session = this.#sessions.get(sessionId) ?? new SessionFold(sessionId, this);
    this.#sessions.set(sessionId, session);
    const isReplayed = name === 'loadSession';
    const isReplaced = isReplayed && !session.state.isDetached;
    session.reopen(
      isReplaced
        ? { type: 'reopen', mode: 'replace' }
        : { type: 'reopen', mode: 'keep', isReplayed, shown: session.conversation },
    );
    let isAbandoned = false;
    const fail = () =>
      session.dispatch({ type: 'reopen_failed', isAbandoned, replayed: session.conversation });
    const failed = () => (isAbandoned ? session.dispatch({ type: 'late_answer' }) : fail());
    return {
      answered: (result) => {
        if (isAbandoned) return failed();
        const opened = this.#read(name, result);
        if (session.state.phase === 'closing' || session.state.phase === 'closed') return failed();
        const isDue = isHistoryDue(this.knowledge, session);
        session.isOpened = true;
        this.#opened.add(session);
        session.opened(opened, { mayReplayOn: isReplayed, isHistoryDue: isDue });
      },
      failed,
      abandoned() {
        isAbandoned = true;
        fail();
      },
    };
  }
}
