import { LiveSession } from '../client/live-session.ts';
import { serve } from '../client/serve.ts';
import { Session } from '../client/session.ts';
import { type Diagnostic, preview } from '../diagnostic.ts';
import { ConnectionClosedError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Dialect, DialectName } from '../protocol/dialect.ts';
import { dialectNamed, negotiate } from '../protocol/negotiate.ts';
import * as rpcCodes from '../rpc/codes.ts';
import { remoteError } from '../rpc/remote-error.ts';
import { type RecordedEnd, readEndMark } from '../trace/ended.ts';
import type { TrafficRecord } from '../trace/traffic.ts';
import { macrotask } from '../transport/macrotask.ts';
import type { FoldedTraffic } from './fold-traffic.ts';
import { recordedCaller } from './recorded-caller.ts';
import { recordedCalls } from './recorded-calls.ts';

/** `named`: a call was made for it, and nothing is known of it beside. */
type RecordedState = 'named' | 'open' | 'closed';

interface RecordedSession {
  readonly live: LiveSession;
  updates: number;
  state: RecordedState;
}

interface OpenCall {
  readonly method: string;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface OpenQuestion {
  readonly control: AbortController;
  answer(result: unknown): void;
}

/**
 * A connection that was, made again from its recording. The sessions are those of a live connection, so that there
 * is one way to follow a turn or a permission; only what a connection itself does is done here anew.
 */
export class RecordedConnection {
  readonly #sessions = new Map<string, RecordedSession>();
  readonly #diagnostics: Diagnostic[] = [];
  readonly #calls = new Map<string, OpenCall>();
  readonly #questions = new Map<string, OpenQuestion>();
  /** How the agent ended, if that was the last that was recorded. */
  #end: RecordedEnd | undefined;
  #dialect: Dialect | undefined;
  #lacksDialect = false;

  constructor(dialect: DialectName | undefined) {
    this.#dialect = dialect && dialectNamed(dialect);
  }

  /** Takes the next record. Resolves when all that follows from it has happened. */
  async take({ dir, msg }: TrafficRecord): Promise<void> {
    for (const message of Array.isArray(msg) ? msg : [msg]) {
      if (!isJsonObject(message)) continue;
      const { method, id, params } = message;
      // Where something else goes on, an agent has only said that it ended.
      if (this.#end && dir === 'out' && method === 'initialize') await this.#finish();
      this.#end = dir === 'in' ? readEndMark(message) : undefined;
      if (method === 'session/update' && dir === 'in') {
        this.#updated(params);
        continue;
      }
      if (typeof method === 'string') this.#asked(dir, method, id, isJsonObject(params) ? params : {});
      else this.#answered(dir, message);
      // As on a live connection, nothing more is read until whoever waited has gone on.
      await new Promise<void>(macrotask);
    }
  }

  /** Notes a line that is no record. */
  skip(lineNumber: number, line: string): void {
    const message = `Line ${lineNumber} is no record of traffic, as in {"dir":"in","t":0,"msg":{…}}. It was passed over.`;
    this.#diagnostics.push({
      rule: 'transport.noise',
      severity: 'warning',
      message,
      received: preview(line),
    });
  }

  async result(): Promise<FoldedTraffic> {
    await this.#finish();
    const sessions = [...this.#sessions.values()]
      .map(({ live, updates, state }) => ({ conversation: live.conversation, updates, state }))
      .filter(({ conversation, state }) => state !== 'named' || conversation.entries.length > 0)
      .map(({ conversation, updates }) => ({ conversation, updates }));
    return { dialect: this.#dialect?.name, sessions, diagnostics: this.#diagnostics };
  }

  /** Ends what was under way when the agent ended, as a live connection does. */
  async #finish(): Promise<void> {
    if (!this.#end) return;
    const how = describeEnd(this.#end);
    this.#diagnostics.push({ rule: 'connection.ended', severity: 'warning', message: how });
    const error = new ConnectionClosedError(how);
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
    this.#questions.clear();
    await new Promise<void>(macrotask);
    for (const { live, state } of this.#sessions.values()) if (state !== 'closed') live.interrupt(error);
  }

  /** The session with this id, as the connection has it; an unknown one begins. */
  sessionOf(sessionId: string, dialect: Dialect): RecordedSession {
    const known = this.#sessions.get(sessionId);
    if (known) return known;
    const report = (diagnostic: Diagnostic) => this.#diagnostics.push(diagnostic);
    // Where it works is no part of a conversation.
    const live = new LiveSession(sessionId, { cwd: '/' }, () => dialect, report);
    const session: RecordedSession = { live, updates: 0, state: 'named' };
    this.#sessions.set(sessionId, session);
    return session;
  }

  knows(sessionId: string): boolean {
    return this.#sessions.has(sessionId);
  }

  forget(sessionId: string): void {
    this.#sessions.delete(sessionId);
  }

  #updated(params: unknown): void {
    const sessionId = isJsonObject(params) ? params['sessionId'] : undefined;
    const dialect = this.#knownDialect();
    if (!dialect || !isJsonObject(params) || typeof sessionId !== 'string') return;
    const session = this.sessionOf(sessionId, dialect);
    session.updates++;
    if (session.state === 'named') session.state = 'open';
    session.live.receive(params['update']);
  }

  #asked(dir: TrafficRecord['dir'], method: string, id: unknown, params: JsonObject): void {
    if (dir === 'out') return this.#called(method, id, params);
    if (method === 'session/request_permission') return this.#questioned(method, id, params);
    if (method === '$/cancel_request') this.#questions.get(String(params['requestId']))?.control.abort();
  }

  #called(method: string, id: unknown, params: JsonObject): void {
    const answer = id === undefined ? Promise.resolve() : this.#awaitAnswer(method, id);
    if (method === 'initialize') {
      answer.then((result) => this.#initialized(result)).catch(() => {});
      return;
    }
    const follow = Object.hasOwn(recordedCalls, method) ? recordedCalls[method] : undefined;
    const dialect = follow && this.#knownDialect();
    // A call that failed, or that the recorded client should not have made, changes nothing more.
    if (follow && dialect) follow(this, params, answer, dialect).catch(() => {});
  }

  #awaitAnswer(method: string, id: unknown): Promise<unknown> {
    const answer = new Promise((resolve, reject) => {
      this.#calls.set(String(id), { method, resolve, reject });
    });
    // Most calls change no conversation, and nobody waits for what the agent answered.
    answer.catch(() => {});
    return answer;
  }

  #answered(dir: TrafficRecord['dir'], { id, result, error }: JsonObject): void {
    const key = String(id);
    if (dir === 'out') {
      this.#questions.get(key)?.answer(result);
      this.#questions.delete(key);
      return;
    }
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    if (!isJsonObject(error)) return call?.resolve(result);
    const { code, message, data } = error;
    const rpcCode = typeof code === 'number' ? code : rpcCodes.internalError;
    call?.reject(remoteError(call.method, rpcCode, String(message), data));
  }

  #questioned(method: string, id: unknown, params: JsonObject): void {
    const dialect = this.#knownDialect();
    if (!dialect) return;
    const control = new AbortController();
    const answered = new Promise<unknown>((resolve) => {
      this.#questions.set(String(id), { control, answer: resolve });
    });
    serve(method, params, control.signal, {
      handlers: { requestPermission: async () => outcomeOf(await answered) },
      dialect,
      report: (diagnostic) => this.#diagnostics.push(diagnostic),
      openUrls: new Set(),
      find: (sessionId) => this.sessionOf(sessionId, dialect).live,
      handleOf: (live) => Session.create(live, recordedCaller(dialect, answered), () => {}),
    }).catch(() => {});
  }

  #initialized(result: unknown): void {
    const negotiated = isJsonObject(result) ? negotiate(result, [2, 1]) : undefined;
    if (negotiated?.dialect) this.#dialect = negotiated.dialect;
  }

  #knownDialect(): Dialect | undefined {
    if (!this.#dialect && !this.#lacksDialect) {
      this.#lacksDialect = true;
      const message =
        'The recording does not hold the answer to initialize, so that its version is not known.';
      this.#diagnostics.push({ rule: 'protocol.dialect', severity: 'error', message });
    }
    return this.#dialect;
  }
}

function describeEnd({ exitCode, signal }: RecordedEnd): string {
  const how = signal != null ? `was ended by ${signal}` : `exited with code ${exitCode}`;
  return exitCode === undefined
    ? 'The channel to the agent ended here by itself.'
    : `The agent ${how} here, and nobody had asked it to.`;
}

function outcomeOf(result: unknown) {
  const outcome: JsonValue | undefined = isJsonObject(result) ? result['outcome'] : undefined;
  const optionId = isJsonObject(outcome) ? outcome['optionId'] : undefined;
  return typeof optionId === 'string'
    ? ({ outcome: 'selected', optionId } as const)
    : ({ outcome: 'cancelled' } as const);
}
