import { preview } from '../diagnostic.ts';
import { MessageTooLargeError } from '../errors.ts';
import type { Message } from './jsonrpc.ts';
import { PacedReader, skipped } from './paced-reader.ts';
import { defects, parseMessage } from './parse-message.ts';
import type { WebSocketLike } from './websocket-like.ts';

/** Above so much waiting input the socket is asked to pause, if it can. */
const highWaterLength = 256 * 1024;

/** Reads one JSON message a frame, each when it is due. */
export class WebSocketReader extends PacedReader {
  readonly #socket: WebSocketLike;
  readonly #maxMessageBytes: number;
  #frames: string[] = [];
  #next = 0;
  #waitingLength = 0;
  #paused = false;
  #flowing = false;
  #finished = false;
  #tooLarge = false;

  constructor(socket: WebSocketLike, maxMessageBytes: number) {
    super();
    this.#socket = socket;
    this.#maxMessageBytes = maxMessageBytes;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.#receive(data));
  }

  /** Pauses the socket no more: the news that it has closed must not wait for what came before to be handled. */
  flow(): void {
    this.#flowing = true;
    this.paced();
  }

  /** Nothing more will come. */
  finish(): void {
    this.#finished = true;
    this.end();
  }

  protected take(): Message | typeof skipped | undefined {
    const frame = this.#frames[this.#next];
    if (frame === undefined) {
      this.#frames = [];
      this.#next = 0;
      return undefined;
    }
    // Let go of what is taken: the queue may live as long as the messages keep coming.
    this.#frames[this.#next++] = '';
    this.#waitingLength -= frame.length;
    return this.#parse(frame);
  }

  protected paced(): void {
    const full = this.#waitingLength > highWaterLength && !this.#flowing;
    if (full === this.#paused || this.#finished) return;
    this.#paused = full;
    if (full) this.#socket.pause?.();
    else this.#socket.resume?.();
  }

  #receive(data: unknown): void {
    if (this.#tooLarge || this.#finished) return;
    const frame = textOf(data);
    if (frame === undefined) {
      this.#report('The agent sent a WebSocket frame that cannot be read: neither text nor an ArrayBuffer.');
      return;
    }
    if (isLonger(frame, this.#maxMessageBytes)) {
      this.#tooLarge = true;
      const limit = this.#maxMessageBytes;
      const message = `The agent sent a message longer than ${limit} bytes: reading stopped. Raise maxMessageBytes if such messages are to be expected.`;
      this.fireError(new MessageTooLargeError(message, { limitBytes: limit }));
      return;
    }
    this.#frames.push(frame);
    this.#waitingLength += frame.length;
    this.run();
    this.paced();
  }

  #parse(frame: string): Message | typeof skipped {
    const message = parseMessage(frame);
    if (typeof message !== 'string') return message;
    if (message !== 'blank')
      this.#report(`The agent sent a WebSocket frame that ${defects[message]}.`, frame);
    return skipped;
  }

  #report(message: string, frame?: string): void {
    this.onDiagnostic?.({
      rule: 'transport.noise',
      severity: 'warning',
      message,
      ...(frame !== undefined && { received: preview(frame) }),
    });
  }
}

function textOf(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  // A socket of another realm has an ArrayBuffer of its own, so it is told by what it is called.
  if (ArrayBuffer.isView(data) || Object.prototype.toString.call(data) === '[object ArrayBuffer]') {
    return new TextDecoder().decode(data as ArrayBuffer);
  }
  return undefined;
}

/** A character is one to three bytes of UTF-8, so that only what is near the limit need be counted. */
function isLonger(text: string, limitBytes: number): boolean {
  if (text.length > limitBytes) return true;
  return text.length * 3 > limitBytes && new TextEncoder().encode(text).length > limitBytes;
}
