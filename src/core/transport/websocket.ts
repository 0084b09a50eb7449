import { codeOf, warning } from '../base/diagnostic.ts';
import { type AcpError, ConnectionClosedError, type SocketClose } from '../base/errors.ts';
import { Queue } from '../base/queue.ts';
import { utf8Length } from '../base/utf8-length.ts';
import { deferred, settlesWithin } from '../base/wait.ts';
import { MessagePump, messageIn, skipped } from './message-pump.ts';
import { defaultMaxMessageBytes, isLonger, messageTooLarge, writeMessage } from './message-text.ts';
import { parseMessage } from './parse-message.ts';
import { maxClosingMs, type Transport } from './transport.ts';

/**
 * The part of a WebSocket that the transport uses. The sockets of browsers, of Node and of the `ws` package have it.
 */
export interface WebSocketLike {
  /** 0: connecting, 1: open, 2: closing, 3: closed. */
  readonly readyState: number;
  /** Set to `arraybuffer`, because the content of a `Blob` cannot be read in the order of the wire. */
  binaryType: string;
  /** Sends one text frame. */
  send(data: string): void;
  /** Bytes that were sent and not yet written to the network. */
  readonly bufferedAmount?: number | undefined;
  /** Starts to close the connection. The `close` event follows. */
  close(code?: number, reason?: string): void;
  /** Adds a listener, as in a browser. An `error` is followed by a `close`. */
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  addEventListener(type: 'error', listener: (event: unknown) => void): void;
  /** Stops reading while messages arrive faster than they are handled. Browsers do not have this method. */
  readonly pause?: (() => void) | undefined;
  /** Continues to read. */
  readonly resume?: (() => void) | undefined;
  /** Destroys the connection if the other side does not answer a close. Browsers do not have this method. */
  readonly terminate?: (() => void) | undefined;
}

/** Above this much waiting input, in UTF-16 code units, the socket is paused. */
const highWaterLength = 256 * 1024;
/** How often a socket is asked how much it has sent, in milliseconds. It has no event for that. */
const pollMs = 20;
export const open = 1;
export const closing = 2;
const closed = 3;
const normalClosure = 1000;
/** The close code of a connection that ended without a close frame. */
const abnormalClosure = 1006;
/** The code of the error of `ws` for a message above its `maxPayload`. */
const tooLongForWs = 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH';
/** The standard code is 1009. Browsers let a page send only 1000 and the codes from 3000 to 4999. */
const messageTooBig = 4009;

/**
 * A channel over a WebSocket that is open: one JSON message per text frame, or one in each line of it. Binary frames are
 * read as UTF-8. A frame that is not a JSON message is reported as a diagnostic, and reading continues.
 *
 * The transport owns the socket. If the socket closes before `close` is called, `ended` has a `ConnectionClosedError`
 * with its close code and reason.
 *
 * A message that is longer than `maxMessageBytes` ends the channel with `MessageTooLargeError`. The socket can have a lower
 * limit, such as `maxPayload` of `ws`.
 */
export class WebSocketTransport implements Transport {
  readonly isRemote = true;
  readonly #socket: WebSocketLike;
  readonly #maxMessageBytes: number;
  readonly #pump = new MessagePump({ take: () => this.#take(), afterDelivery: () => this.#paceInput() });
  readonly ended = this.#pump.ended;
  readonly listen = this.#pump.listen;
  readonly pause = this.#pump.pause;
  readonly resume = this.#pump.resume;
  readonly #socketClosed = deferred();
  /** Frames that were received and not delivered yet. */
  readonly #frames = new Queue<string>();
  /** The lines of a frame that has a message in each, as programs send it that pass on the output of an agent. */
  readonly #lines = new Queue<string>();
  #waitingLength = 0;
  #isInputPaused = false;
  /** Messages that the socket has not put on the network yet, with the number of bytes sent up to their end. */
  #buffered: { readonly end: number; readonly done: () => void }[] = [];
  #sentBytes = 0;
  #polling: ReturnType<typeof setTimeout> | undefined;
  #isClosing = false;
  #closing: Promise<void> | undefined;
  #fault: unknown;

  constructor(
    socket: WebSocketLike,
    { maxMessageBytes = defaultMaxMessageBytes }: { readonly maxMessageBytes?: number | undefined } = {},
  ) {
    this.#socket = socket;
    this.#maxMessageBytes = maxMessageBytes;
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => this.#receive(data));
    socket.addEventListener('error', (event) => {
      this.#fault ??= faultOf(event);
      this.#endSoon();
    });
    socket.addEventListener('close', ({ code, reason }) => this.#closed({ closeCode: code, reason }));
    if (socket.readyState === closed) {
      const message = 'The WebSocket was closed before it was used. Open a new one.';
      this.#pump.error = new ConnectionClosedError(message);
      this.#end();
    }
  }

  /** A message to a socket that is closing or closed is dropped without an error. The end of the channel follows. */
  async send(message: object): Promise<void> {
    const frame = writeMessage(message);
    if (this.#socket.readyState === open) await this.#send(frame);
  }

  get queuedBytes(): number {
    return this.#socket.bufferedAmount ?? 0;
  }

  async close(): Promise<void> {
    this.#close(normalClosure);
    await this.#closing;
  }

  #close(code: number, reason?: string): void {
    if (this.#closing) return;
    this.#isClosing = true;
    if (this.#socket.readyState < closing) this.#socket.close(code, reason);
    // A paused socket would not read that the other side has closed.
    this.#paceInput();
    this.#endSoon();
  }

  /** After a close or an error the socket closes. The other side can delay that: `ws` waits 30 seconds for it. */
  #endSoon(): void {
    this.#closing ??= settlesWithin(this.#socketClosed.promise, maxClosingMs).then((isClosed) => {
      if (isClosed) return;
      this.#socket.terminate?.();
      this.#closed({ closeCode: abnormalClosure, reason: '' });
    });
  }

  #closed(socketClose: SocketClose): void {
    if (!this.#isClosing) this.#pump.error ??= this.#closedError(socketClose);
    this.#end();
  }

  #closedError(socketClose: SocketClose): AcpError {
    const cause = this.#fault;
    if (codeOf(cause) === tooLongForWs) return messageTooLarge(this.#maxMessageBytes, { cause });
    const { closeCode, reason } = socketClose;
    const because = reason === '' ? '' : `: ${reason}`;
    const fault = cause instanceof Error && cause.message !== '' ? ` ${cause.message}.` : '';
    const message = `The WebSocket was closed (close code ${closeCode}${because}).${fault}`;
    return new ConnectionClosedError(message, { socketClose, cause });
  }

  /** Sends a frame. The promise, if there is one, resolves when the socket has put it on the network. */
  #send(frame: string): Promise<void> | undefined {
    this.#socket.send(frame);
    if (this.queuedBytes === 0) return undefined;
    this.#sentBytes += utf8Length(frame);
    this.#polling ??= setTimeout(() => this.#settleSent(), pollMs);
    return new Promise((done) => {
      this.#buffered.push({ end: this.#sentBytes, done });
    });
  }

  #settleSent(): void {
    const onNetwork = this.#sentBytes - this.queuedBytes;
    const count = this.#buffered.findIndex(({ end }) => end > onNetwork);
    for (const { done } of this.#buffered.splice(0, count === -1 ? this.#buffered.length : count)) done();
    this.#polling = this.#buffered.length > 0 ? setTimeout(() => this.#settleSent(), pollMs) : undefined;
  }

  #end(): void {
    for (const { done } of this.#buffered.splice(0)) done();
    clearTimeout(this.#polling);
    this.#socketClosed.resolve();
    this.#pump.end();
  }

  #receive(data: unknown): void {
    if (this.#pump.error) return;
    this.#pump.listener?.onActivity();
    const frame = textOf(data);
    if (frame === undefined) {
      this.#report('The agent sent a WebSocket frame that cannot be read: neither text nor an ArrayBuffer.');
      return;
    }
    if (isLonger(frame, this.#maxMessageBytes)) {
      this.#pump.error = messageTooLarge(this.#maxMessageBytes);
      this.#close(messageTooBig, 'message too large');
      return;
    }
    this.#frames.add(frame);
    this.#waitingLength += frame.length;
    this.#pump.run();
    this.#paceInput();
  }

  #take(): unknown {
    const line = this.#lines.take();
    if (line !== undefined) return this.#read(line);
    const frame = this.#frames.take();
    if (frame === undefined) return undefined;
    this.#waitingLength -= frame.length;
    if (!frame.includes('\n') || parseMessage(frame) !== 'noise') return this.#read(frame);
    for (const each of frame.split('\n')) this.#lines.add(each);
    return skipped;
  }

  #read(text: string): unknown {
    return messageIn(text, (defect) =>
      this.#report(`The agent sent a WebSocket frame that ${defect}.`, text),
    );
  }

  #paceInput(): void {
    const isFull = this.#waitingLength > highWaterLength && !this.#isClosing;
    if (isFull === this.#isInputPaused) return;
    this.#isInputPaused = isFull;
    if (isFull) this.#socket.pause?.();
    else this.#socket.resume?.();
  }

  #report(message: string, frame?: string): void {
    this.#pump.listener?.onDiagnostic(warning('transport.noise', message, frame));
  }
}

/** The error of an error event. Node's sockets have one. A browser's event says nothing. */
export function faultOf(event: unknown): unknown {
  return typeof event === 'object' && event !== null && 'error' in event ? event.error : undefined;
}

function textOf(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  // A socket of another realm has an ArrayBuffer that is not an instance of this realm's.
  if (ArrayBuffer.isView(data) || Object.prototype.toString.call(data) === '[object ArrayBuffer]') {
    return new TextDecoder().decode(data as ArrayBuffer);
  }
  return undefined;
}
