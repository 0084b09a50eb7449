import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { errorMessage } from '../../base/diagnostic.ts';
import { type AcpError, ConnectionClosedError, HttpError, MessageTooLargeError } from '../../base/errors.ts';
import { abortWith, backOffMs, deferred, delay, IdleTimer, withJitter, withLimits } from '../../base/wait.ts';
import { decodeUtf8 } from '../lines.ts';
import { isLonger, messageTooLarge } from '../message-text.ts';
import { isEventStream } from './http-answers.ts';

/** How long a stream that the server keeps alive may be silent, in milliseconds. */
const defaultIdleTimeoutMs = 60_000;

/** How many ids of events are known, to recognize events that the server sends again. */
const maxKnownIds = 1000;

/** How often a stream is opened again before it is given up. One that lives for a while starts from 0. */
export const maxAttempts = 5;

const delays = { firstDelayMs: 250, maxDelayMs: 10_000 };

/** What the streams of a connection have in common. */
export interface EventStreamCommons {
  /** Sends the GET. */
  open(headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
  /** Resolves when there is room for more messages. */
  whenRoom(): Promise<void> | undefined;
  onActivity(): void;
  /** Text of the stream that is no event. */
  onNoise(text: string): void;
  readonly idleTimeoutMs: number | undefined;
  readonly maxMessageBytes: number;
}

/** What a stream needs. */
export interface EventStreamParts extends EventStreamCommons {
  onMessage(text: string): void;
  /** The stream broke after it was open, and is opened again after `delayMs`, at the place where it broke. */
  onBreak(error: AcpError, delayMs: number): void;
  /**
   * The stream has ended, and is not opened again. Called once, unless it was closed. `openedAt`: when the server answered
   * last. `undefined` if it never did.
   */
  onLost(error: AcpError, openedAt: number | undefined): void;
  /** Statuses of a stream that was never open after which it is tried again, because the server may be late. */
  readonly lateStatuses?: readonly number[];
  /** Milliseconds before the first attempt. */
  readonly firstDelayMs?: number;
  /** How often the stream is opened again. Default: {@link maxAttempts}. */
  readonly maxAttempts?: number;
}

/** The pause before a stream is opened again, in milliseconds. */
export function reopenDelayMs(attempt: number): number {
  return withJitter(backOffMs(attempt, delays));
}

/**
 * One stream of server-sent events. If its events have ids, a broken stream is opened again with the last one, and
 * events that were received already are dropped: those whose id and data are known. Without ids it is not known what was lost with the stream, so it is given
 * up.
 */
export class EventStream {
  readonly #opened = deferred();
  /** Resolves when the server has answered, or when the stream was given up. */
  readonly opened = this.#opened.promise;
  readonly #parts: EventStreamParts;
  readonly #control = new AbortController();
  /** The last ids, each with the {@link fingerprint} of its event. */
  readonly #known = new Map<string, string>();
  /** Whether the next events may be ones that arrived before the stream broke. `undefined` until it was open. */
  #mayRepeat: boolean | undefined;
  /** Whether the last event has an id that can be sent back. What came after the one before would come twice. */
  #isAtPlace = false;
  /** Whether ids name a place in the stream. They do not if a stream without a break repeats one. */
  #hasPlaces = true;
  #lastEventId: string | undefined;
  #isKeptAlive = false;
  #attempts = 0;
  /** Whether messages arrive. */
  isOpen = false;
  /** When the server answered last. */
  #openedAt: number | undefined;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    void this.#run();
  }

  close(): void {
    this.#control.abort();
    this.#opened.resolve();
  }

  async #run(): Promise<void> {
    const { signal } = this.#control;
    const { firstDelayMs = 0 } = this.#parts;
    if (firstDelayMs > 0) await delay(firstDelayMs, signal);
    while (!signal.aborted) {
      const error = await this.#runOnce();
      if (this.isOpen && performance.now() - (this.#openedAt ?? 0) > delays.maxDelayMs) this.#attempts = 0;
      this.isOpen = false;
      if (signal.aborted) return;
      if (!this.#canOpenAgain(error) || this.#attempts >= (this.#parts.maxAttempts ?? maxAttempts)) {
        this.#opened.resolve();
        this.#parts.onLost(error, this.#openedAt);
        return;
      }
      const waitMs = reopenDelayMs(this.#attempts++);
      if (this.#openedAt !== undefined) this.#parts.onBreak(error, waitMs);
      // A message that waits for a stream which the server does not know yet makes it known.
      this.#opened.resolve();
      await delay(waitMs, signal);
    }
  }

  /** Opens the stream and reads it. Returns why it ended. */
  async #runOnce(): Promise<AcpError> {
    const control = new AbortController();
    const stopFollowing = abortWith(control, this.#control.signal);
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(this.#lastEventId !== undefined && { 'last-event-id': this.#lastEventId }),
      };
      const response = await this.#parts.open(headers, control.signal);
      const type = response.headers.get('content-type') ?? '';
      if (!response.body || !isEventStream(response)) {
        response.body?.cancel().catch(() => {});
        return new ConnectionClosedError(
          `The server answered a GET with ${type === '' ? 'no content type' : type} instead of text/event-stream. Check the URL, and what a proxy does with it.`,
        );
      }
      this.isOpen = true;
      this.#openedAt = performance.now();
      this.#mayRepeat = true;
      this.#opened.resolve();
      await this.#read(response.body);
      return new ConnectionClosedError('The server ended the stream.');
    } catch (error) {
      if (error instanceof HttpError || error instanceof MessageTooLargeError) return error;
      if (error instanceof ConnectionClosedError) return error;
      return new ConnectionClosedError(`The stream broke: ${errorMessage(error)}.`, { cause: error });
    } finally {
      stopFollowing();
      control.abort();
    }
  }

  #canOpenAgain(error: AcpError): boolean {
    if (error instanceof MessageTooLargeError) return false;
    if (error instanceof HttpError) {
      // After a break the server may still take the old stream for a reader.
      const { lateStatuses = [] } = this.#parts;
      return (this.#openedAt === undefined ? lateStatuses : [409]).includes(error.status);
    }
    return this.#isAtPlace && this.#hasPlaces;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const { whenRoom, onActivity, onNoise, maxMessageBytes, idleTimeoutMs } = this.#parts;
    const decode = streamDecoder();
    const reader = body.getReader();
    let fault: AcpError | undefined;
    const idleMs = idleTimeoutMs ?? defaultIdleTimeoutMs;
    const idle = new IdleTimer(idleMs, () => {
      fault = new ConnectionClosedError(`The stream brought nothing for ${idleMs} ms.`);
      reader.cancel().catch(() => {});
    });
    if (idleTimeoutMs !== undefined || this.#isKeptAlive) idle.start();
    const parser = createParser({
      maxBufferSize: maxMessageBytes,
      onEvent: (event) => {
        // The parser counts characters.
        if (isLonger(event.data, maxMessageBytes)) fault = messageTooLarge(maxMessageBytes);
        if (!fault) this.#take(event);
      },
      onComment: () => {
        this.#isKeptAlive = true;
        idle.start();
      },
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') fault = messageTooLarge(maxMessageBytes);
        else onNoise(error.line ?? error.message);
      },
    });
    try {
      for (;;) {
        const room = whenRoom();
        if (room) {
          idle.pause();
          // A reader that is paused for good must not keep the stream of a closed connection.
          await withLimits(room, { signal: this.#control.signal });
          idle.resume();
        }
        const { done, value } = await reader.read();
        if (fault) throw fault;
        if (done) return;
        idle.restart();
        onActivity();
        // A longer rest of an event is a part of one that is too long.
        parser.feed(decode(value));
        if (fault) throw fault;
      }
    } finally {
      idle.stop();
      reader.cancel().catch(() => {});
    }
  }

  #take({ id, data }: EventSourceMessage): void {
    if (this.#control.signal.aborted) return;
    const place = sendable(id);
    this.#isAtPlace = place !== undefined;
    if (place !== undefined) {
      const event = fingerprint(data);
      const known = this.#known.get(place);
      if (known === event && (this.#mayRepeat || this.#isLast(place))) return;
      // Another event after a break: the server numbers them from the start again.
      if (known !== undefined && this.#mayRepeat) this.#known.clear();
      else if (known !== undefined) this.#hasPlaces = false;
      this.#mayRepeat = false;
      this.#known.set(place, event);
      if (this.#known.size > maxKnownIds) this.#known.delete(this.#known.keys().next().value ?? '');
      this.#lastEventId = place;
    }
    this.#parts.onMessage(data);
  }

  /** Whether an id is the one of the last event. Where all events have one id, it says nothing. */
  #isLast(id: string): boolean {
    return this.#hasPlaces && this.#known.size > 1 && id === this.#lastEventId;
  }
}

/** A short text that is another one for nearly every other text. */
function fingerprint(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return `${text.length} ${hash}`;
}

/** The id, if it can be the value of a header. Longer ones would not fit, and be kept. */
function sendable(id = ''): string | undefined {
  return /^[\x21-\x7e]{1,1024}$/.exec(id)?.[0];
}

/** What an event stream that answers a POST needs. */
interface AnswerStreamParts extends Omit<EventStreamCommons, 'open'> {
  onMessage(text: string): void;
  /** The stream has ended. Called once, unless it was closed. */
  onEnd(end: { readonly error: AcpError; readonly broughtEvents: boolean }): void;
}

/**
 * Reads an event stream that answers a POST, as servers of MCP send it. It belongs to one request, so that it is not opened
 * again.
 */
export function readAnswerStream(response: Response, parts: AnswerStreamParts): EventStream {
  let broughtEvents = false;
  return new EventStream({
    ...parts,
    // The signal ends the reading, because the request is over.
    open: async (_, signal) =>
      new Response(response.body?.pipeThrough(new TransformStream(), { signal }) ?? null, response),
    onMessage(text) {
      broughtEvents = true;
      parts.onMessage(text);
    },
    onBreak: () => {},
    onLost: (error) => parts.onEnd({ error, broughtEvents }),
    maxAttempts: 0,
  });
}

const firstByteAboveAscii = 0x80;

/**
 * Decodes UTF-8 that arrives in pieces. A character that is cut waits for its rest. Each end of a line is LF: event streams
 * can also have CR and CRLF, and a parser does not know at a CR whether an LF follows in the next piece.
 */
export function streamDecoder(): (bytes: Uint8Array) => string {
  const decode = utf8Decoder();
  let endsWithCr = false;
  return (bytes) => {
    const piece = decode(bytes);
    if (piece === '') return piece;
    const text = endsWithCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    endsWithCr = piece.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  };
}

/** `TextDecoder` takes several times as long for the short pieces of a stream, so that it gets only what it is needed for. */
function utf8Decoder(): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder();
  // It also removes a byte order mark at the beginning.
  let isNeeded = true;
  return (bytes) => {
    const last = bytes[bytes.length - 1];
    const endsWhole = last !== undefined && last < firstByteAboveAscii;
    if (!isNeeded && endsWhole) return decodeUtf8(bytes, 0, bytes.length);
    isNeeded = !endsWhole;
    return decoder.decode(bytes, { stream: true });
  };
}
