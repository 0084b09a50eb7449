import { isRequestId, type JsonObject, type RequestId } from '../../../src/core/base/json.ts';
import { barrierMethod } from '../../../src/core/transport/http/barriers.ts';
import { event } from '../raw-acp-server.ts';
import { type TimedRequest, TimedServer, type TimedStream } from '../timed-acp-server.ts';
import { type Habits, type Happening, type Said, sessionIn, subagent } from './journal.ts';

interface OpenCall {
  readonly id: RequestId;
  readonly method: string;
  readonly sessionId: string;
}

interface Event {
  readonly n: number;
  readonly id: string | undefined;
  readonly text: string;
}

const reopens = new Set(['session/load', 'session/resume']);

/** A server with an agent. It keeps the agent's messages while no stream is open, and causes the faults of the play. */
export class PlayingServer {
  readonly http: TimedServer;
  readonly #habits: Habits;
  readonly #journal: Happening[];
  readonly #logs = new Map<string, Event[]>();
  /** How many events of a log have been sent, once at least. */
  readonly #sent = new Map<string, number>();
  /** With which event a stream began that was not to go on at a place. */
  readonly #first = new Map<string, number>();
  /** The calls that the agent has, and has not answered. */
  readonly #calls: OpenCall[] = [];
  /** The messages whose POSTs are not answered, by the row in which their order counts. */
  readonly #underWay = new Map<string, string>();
  readonly #repeated = new Map<string, number>();
  readonly #refusals = new Map<string, { readonly status: number; times: number }>();
  readonly #forgotten = new Set<string>();
  readonly #delays: number[] = [];
  #postponements = 0;
  #count = 0;

  constructor(habits: Habits, journal: Happening[]) {
    this.#habits = habits;
    this.#journal = journal;
    this.http = new TimedServer(
      (request) => this.#answer(request),
      (stream, request) => this.#opened(stream, request),
    );
  }

  /** The agent says something of its own on a stream. */
  say(stream: string, count: number): void {
    for (let time = 0; time < count; time++) {
      this.#say(stream, 'update', (n) => ({
        method: 'session/update',
        params: { sessionId: stream, n, update: { sessionUpdate: 'agent_message_chunk' } },
      }));
    }
  }

  ask(stream: string, isNamed: boolean): void {
    this.#say(stream, 'request', (n) => ({
      id: `r${n}`,
      method: isNamed ? 'session/request_permission' : 'mcp/message',
      params: { n, ...(isNamed && { sessionId: stream }) },
    }));
  }

  announceSubagent(): void {
    this.#say('s1', 'update', (n) => ({
      method: 'session/update',
      params: { sessionId: 's1', n, update: { sessionUpdate: 'subagent_update', sessionId: subagent } },
    }));
  }

  /** Answers one of the open calls. */
  answer(which: number, where: 'session' | 'connection', isError: boolean): void {
    const [call] = this.#calls.splice(which % Math.max(1, this.#calls.length), 1);
    if (!call) return;
    const { id, sessionId } = call;
    const stream = where === 'session' && this.http.open(sessionId).length > 0 ? sessionId : '';
    this.#say(stream, 'answer', (n) => ({
      id,
      ...(isError ? { error: { code: -32603, message: 'no', n } } : { result: { n } }),
    }));
  }

  answerAll(): void {
    while (this.#calls.length > 0) this.answer(0, 'session', false);
  }

  end(stream: string, how: 'ends' | 'breaks', { unread = 0, repeated = 0 } = {}): void {
    const [open] = this.http.open(stream);
    if (!open) return;
    this.#fault(stream);
    this.say(stream, unread);
    this.#repeated.set(stream, repeated);
    if (how === 'ends') open.end();
    else open.break();
  }

  refuse(stream: string, status: number, times: number): void {
    this.#refusals.set(stream, { status, times });
  }

  /** The server loses a session, until the client loads or resumes it. */
  forget(sessionId: string): void {
    this.#fault(sessionId);
    this.#forgotten.add(sessionId);
    this.end(sessionId, 'ends');
  }

  postpone(): void {
    this.#postponements++;
  }

  slowDown(ms: number): void {
    this.#delays.push(ms);
  }

  /** The stream brings a comment, and then nothing: it looks dead after a minute. */
  fallSilent(stream: string): void {
    const [open] = this.http.open(stream);
    if (!open) return;
    this.#fault(stream);
    open.write(': alive\n\n');
  }

  /** Nothing goes wrong any more. */
  calmDown(): void {
    this.#refusals.clear();
    this.#forgotten.clear();
    this.#delays.length = 0;
    this.#postponements = 0;
  }

  #fault(stream: string): void {
    this.#journal.push({ what: 'fault', stream });
  }

  #wrong(text: string): void {
    this.#journal.push({ what: 'wrong', text });
  }

  #say(stream: string, kind: Said['kind'], make: (n: number) => JsonObject): void {
    const n = ++this.#count;
    const message: JsonObject = { jsonrpc: '2.0', ...make(n) };
    const id = isRequestId(message['id']) ? message['id'] : undefined;
    this.#journal.push({ what: 'said', said: { n, stream, kind, id } });
    this.#send(stream, message, n);
  }

  #send(stream: string, message: JsonObject, n: number): void {
    const { eventIds } = this.#habits;
    const id = eventIds === 'all' || (eventIds === 'some' && n % 3 > 0) ? `e${n}` : undefined;
    const log = this.#logs.get(stream) ?? [];
    this.#logs.set(stream, log);
    log.push({ n, id, text: event(message, id) });
    const [open] = this.http.open(stream);
    if (open) this.#sendFrom(open, log.length - 1);
  }

  #sendFrom(stream: TimedStream, first: number): void {
    const log = this.#logs.get(stream.name) ?? [];
    for (const { n, text } of log.slice(first)) {
      stream.write(text);
      this.#journal.push({ what: 'written', n });
    }
    this.#sent.set(stream.name, log.length);
  }

  #opened(stream: TimedStream, { lastEventId }: TimedRequest): void {
    const { name } = stream;
    if (lastEventId === undefined) {
      const first = this.#sent.get(name) ?? 0;
      this.#first.set(name, first);
      return this.#sendFrom(stream, first);
    }
    const log = this.#logs.get(name) ?? [];
    const place = log.findIndex(({ id }) => id === lastEventId) + 1;
    // What has no id cannot be told from something new, and a client that began anew knows no earlier ids.
    const repeated = this.#habits.eventIds === 'all' ? (this.#repeated.get(name) ?? 0) : 0;
    this.#sendFrom(stream, Math.max(this.#first.get(name) ?? 0, place - repeated));
  }

  #answer(request: TimedRequest): Response | Promise<Response> | undefined {
    const { kind, sessionId, message } = request;
    if (kind.startsWith('GET')) return this.#answerGet(sessionId ?? '');
    if (kind === 'POST initialize' || kind === 'DELETE') return undefined;
    if (this.#postponements > 0) {
      this.#postponements--;
      return new Response(null, { status: 503, headers: { 'retry-after': '1' } });
    }
    if (sessionId !== undefined && this.#forgotten.has(sessionId)) {
      if (!reopens.has(String(message['method']))) {
        this.#fault(sessionId);
        return new Response(null, { status: 409 });
      }
      this.#forgotten.delete(sessionId);
    }
    if (message['method'] === barrierMethod) return this.#answerBarrier(request);
    return this.#take(request);
  }

  #answerGet(name: string): Response | undefined {
    if (this.http.open(name).length > 0) this.#wrong(`two streams of '${name}' at the same time`);
    const refusal = this.#refusals.get(name);
    if (refusal && refusal.times > 0) {
      refusal.times--;
      this.#fault(name);
      return new Response(null, { status: refusal.status });
    }
    return this.#forgotten.has(name) ? new Response(null, { status: 404 }) : undefined;
  }

  #answerBarrier(request: TimedRequest): Response | Promise<Response> | undefined {
    const { barrier } = this.#habits;
    if (barrier === 'is refused') return new Response(null, { status: 400 });
    const where = barrier === 'is answered' ? (request.sessionId ?? '') : '';
    if (barrier !== 'has no answer') {
      const error = { code: -32601, message: 'Method not found' };
      this.#send(where, { jsonrpc: '2.0', id: request.message['id'] ?? null, error }, ++this.#count);
    }
    return this.#later();
  }

  /** Takes a message of the client. */
  #take({ kind, message, sessionId, signal }: TimedRequest): Promise<Response> {
    this.#journal.push({ what: 'taken', message, sessionId });
    const { id, method } = message;
    const row = this.#rowOf(message);
    // An answer has no order among other messages.
    if (typeof method !== 'string' || row === undefined) return this.#later();
    const before = this.#underWay.get(row);
    if (before !== undefined) this.#wrong(`${kind} came while ${before} was under way`);
    this.#underWay.set(row, kind);
    signal.addEventListener('abort', () => this.#underWay.delete(row), { once: true });
    if (isRequestId(id)) this.#calls.push({ id, method, sessionId: row });
    return this.#later().finally(() => this.#underWay.delete(row));
  }

  /** Where the order of a message counts. The withdrawal of a call that is answered has none. */
  #rowOf(message: JsonObject): string | undefined {
    const { params } = message;
    const withdrawn: unknown =
      typeof params === 'object' && params !== null ? Reflect.get(params, 'requestId') : undefined;
    return isRequestId(withdrawn)
      ? this.#calls.find(({ id }) => id === withdrawn)?.sessionId
      : (sessionIn(message) ?? '');
  }

  async #later(): Promise<Response> {
    const ms = this.#delays.shift();
    if (ms !== undefined) await new Promise<void>((resolve) => setTimeout(resolve, ms));
    return new Response(null, { status: 202 });
  }
}
