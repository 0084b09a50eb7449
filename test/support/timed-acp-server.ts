import { onTestFinished, vi } from 'vitest';
import type { JsonObject } from '../../src/core/base/json.ts';
import { event } from './raw-acp-server.ts';

/** A request that arrived. */
export interface TimedRequest {
  /** As that of `RawRequest`: `GET s1`, `POST session/load`, `POST` for an answer. */
  readonly kind: string;
  readonly sessionId: string | undefined;
  readonly lastEventId: string | undefined;
  /** The message of a POST. */
  readonly message: JsonObject;
  /** Aborted when the client gives the request up, or the body of its answer. */
  readonly signal: AbortSignal;
}

/** Answers a request. Returns `undefined` to leave it to the server. */
export type TimedAnswer = (request: TimedRequest) => Response | Promise<Response> | undefined;

/** Is called when a stream opens, before anything is sent on it. */
export type StreamOpened = (stream: TimedStream, request: TimedRequest) => void;

const encoder = new TextEncoder();

/** The answer to a GET: an event stream. */
export class TimedStream {
  /** The session, or `''` for the stream of the connection. */
  readonly name: string;
  readonly response: Response;
  #control: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(name: string) {
    this.name = name;
    const body = new ReadableStream<Uint8Array>({
      start: (control) => {
        this.#control = control;
      },
      cancel: () => {
        this.#control = undefined;
      },
    });
    this.response = new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  /** Whether neither side has ended it. */
  get isOpen(): boolean {
    return this.#control !== undefined;
  }

  write(given: string | Uint8Array): void {
    this.#control?.enqueue(typeof given === 'string' ? encoder.encode(given) : given);
  }

  /** Ends the body. What was written before still arrives. */
  end(): void {
    this.#control?.close();
    this.#control = undefined;
  }

  /** Breaks the body off. What was written and not read yet is lost. */
  break(reason: unknown = new TypeError('terminated')): void {
    this.#control?.error(reason);
    this.#control = undefined;
  }
}

/**
 * A server of streamable HTTP as a function `fetch`, for tests in which seconds and hours pass: sockets know nothing of
 * a test's clock. It opens a stream for each GET, and takes each message.
 */
export class TimedServer {
  readonly requests: TimedRequest[] = [];
  /** All streams, also those that have ended. */
  readonly streams: TimedStream[] = [];
  readonly #answer: TimedAnswer;
  readonly #opened: StreamOpened;
  #kept: { readonly name: string; readonly text: string }[] = [];

  constructor(answer: TimedAnswer = () => undefined, opened: StreamOpened = () => {}) {
    this.#answer = answer;
    this.#opened = opened;
  }

  readonly fetch: typeof fetch = async (_url, init = {}) => {
    const { method = 'GET', headers, body } = init;
    // A request without one cannot be given up.
    const signal = init.signal ?? new AbortController().signal;
    const given = new Headers(headers);
    const sessionId = given.get('acp-session-id') ?? undefined;
    const message: JsonObject = method === 'POST' ? JSON.parse(String(body)) : {};
    const detail = method === 'POST' ? message['method'] : sessionId;
    const request: TimedRequest = {
      kind: `${method}${detail === undefined ? '' : ` ${detail}`}`,
      sessionId,
      lastEventId: given.get('last-event-id') ?? undefined,
      message,
      signal,
    };
    this.requests.push(request);
    signal.throwIfAborted();
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    return Promise.race([this.#answer(request) ?? this.#take(request), aborted]);
  };

  /** How many requests of a kind came. */
  count(kind: string): number {
    return this.requests.filter((request) => request.kind === kind).length;
  }

  /** The open streams of a session, or those of the connection. */
  open(name = ''): readonly TimedStream[] {
    return this.streams.filter((stream) => stream.name === name && stream.isOpen);
  }

  /** Sends a message on the stream of a session, or on that of the connection. Keeps it until one is open. */
  send(message: object, name = '', id?: number | string): void {
    const stream = this.open(name).at(-1);
    if (stream) stream.write(event(message, id));
    else this.#kept.push({ name, text: event(message, id) });
  }

  #take(request: TimedRequest): Response {
    const { kind, message } = request;
    if (kind.startsWith('GET')) return this.#open(request).response;
    if (kind !== 'POST initialize') return new Response(null, { status: 202 });
    const headers = { 'acp-connection-id': 'c1' };
    return Response.json({ jsonrpc: '2.0', id: message['id'], result: { protocolVersion: 1 } }, { headers });
  }

  #open(request: TimedRequest): TimedStream {
    const { sessionId: name = '', signal } = request;
    const stream = new TimedStream(name);
    this.streams.push(stream);
    signal.addEventListener('abort', () => stream.break(signal.reason), { once: true });
    this.#opened(stream, request);
    for (const kept of this.#kept) if (kept.name === name) stream.write(kept.text);
    this.#kept = this.#kept.filter((kept) => kept.name !== name);
    return stream;
  }
}

/** From now on, until the end of the test, time passes only with {@link passTime}. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** Lets everything happen that needs no time. */
export async function allHappened(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets time pass: one timer after the other, and after each everything that it causes. */
export async function passTime(ms: number): Promise<void> {
  await allHappened();
  let isOver = false;
  setTimeout(() => {
    isOver = true;
  }, ms);
  while (!isOver) {
    vi.advanceTimersToNextTimer();
    await allHappened();
  }
}
