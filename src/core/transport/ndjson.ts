import { errorMessage, warning } from '../base/diagnostic.ts';
import { ConnectionClosedError } from '../base/errors.ts';
import { utf8Length } from '../base/utf8-length.ts';
import { deferred, settlesWithin } from '../base/wait.ts';
import {
  type ByteInput,
  type ByteOutput,
  inputFrom,
  type NodeByteSink,
  type NodeByteSource,
  outputTo,
  type WebByteSink,
  type WebByteSource,
} from './byte-streams.ts';
import { decodeUtf8, LineDecoder, tooLong } from './lines.ts';
import { MessagePump, messageIn, skipped } from './message-pump.ts';
import { defaultMaxMessageBytes, messageTooLarge, writeMessage } from './message-text.ts';
import { maxClosingMs, type Transport } from './transport.ts';
import { UpdateEnvelope } from './update-envelope.ts';

/** Above this much waiting input, in bytes, the input is paused. A higher value gives no more throughput. */
const highWaterBytes = 256 * 1024;

/** No line can be longer: it would not fit into a string. In bytes of ASCII. */
const longestLineBytes = 2 ** 29 - 24;

/** Options of {@link ndjsonTransport}. */
export interface NdjsonTransportOptions {
  /**
   * The maximum length of a line, in bytes, up to 512 MiB. Default: 128 MiB. A longer line ends the channel with
   * `MessageTooLargeError`.
   */
  readonly maxLineBytes?: number | undefined;
}

/**
 * Creates a channel over two byte streams: one JSON message per line. The streams are those of Node or of the web
 * platform.
 *
 * Blank lines are ignored. A line that is not a JSON object or array is reported as a diagnostic, and reading
 * continues. The channel ends when `readable` ends. `close` ends `writable`, gives the other side two seconds to end
 * `readable`, and then destroys it.
 *
 * @example
 * ```ts
 * const socket = createConnection(7000, '127.0.0.1');
 * const connection = await connect(ndjsonTransport(socket, socket), options);
 * ```
 * @see https://agentclientprotocol.com/protocol/transports
 */
export function ndjsonTransport(
  readable: NodeByteSource | WebByteSource,
  writable: NodeByteSink | WebByteSink,
  options: NdjsonTransportOptions = {},
): Transport {
  return lineTransport(inputFrom(readable), outputTo(writable), options);
}

/** As {@link ndjsonTransport}, over any source and destination of bytes. */
export function lineTransport(
  input: ByteInput,
  output: ByteOutput,
  { maxLineBytes = defaultMaxMessageBytes }: NdjsonTransportOptions = {},
): Transport {
  const reader = new LineReader(input, maxLineBytes);
  const writer = new LineWriter(output);
  let closing: Promise<void> | undefined;
  const close = async () => {
    output.end();
    if (!(await settlesWithin(reader.inputEnded, maxClosingMs))) input.stop();
  };
  void reader.ended.then(({ error }) => {
    if (!error) return;
    output.end();
    input.stop();
  });
  return {
    listen: reader.listen,
    pause: reader.pause,
    resume: reader.resume,
    send: (message) => writer.send(message),
    get queuedBytes() {
      return writer.queuedBytes;
    },
    ended: reader.ended,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Reads one JSON message per line. */
export class LineReader {
  readonly #inputEnd = deferred();
  /** Resolves when the input has ended. */
  readonly inputEnded = this.#inputEnd.promise;
  readonly #input: ByteInput;
  readonly #lines: LineDecoder;
  readonly #maxLineBytes: number;
  readonly #envelope = new UpdateEnvelope();
  readonly #readLine = this.#read.bind(this);
  readonly #pump = new MessagePump({ take: () => this.#take(), afterDelivery: () => this.#paceInput() });
  /** Resolves when the input has ended and its last message was delivered. */
  readonly ended = this.#pump.ended;
  readonly listen = this.#pump.listen;
  readonly pause = this.#pump.pause;
  readonly resume = this.#pump.resume;
  #isInputPaused = false;
  #hasInputEnded = false;
  #isRestTaken = false;

  /** @param maxLineBytes - A longer line ends the channel with `MessageTooLargeError`. */
  constructor(input: ByteInput, maxLineBytes: number) {
    this.#input = input;
    this.#maxLineBytes = Math.min(maxLineBytes, longestLineBytes);
    this.#lines = new LineDecoder(this.#maxLineBytes);
    input.start(
      (chunk) => this.#push(chunk),
      (error) => this.#endInput(error),
    );
  }

  #push(chunk: Uint8Array): void {
    this.#pump.listener?.onActivity();
    this.#lines.push(chunk);
    this.#pump.run();
    this.#paceInput();
  }

  #endInput(error: unknown): void {
    this.#hasInputEnded = true;
    if (error !== undefined) {
      const text = `Reading from the agent failed: ${errorMessage(error)}.`;
      this.#pump.error ??= new ConnectionClosedError(text, { cause: error });
    }
    this.#inputEnd.resolve();
    this.#pump.end();
  }

  #paceInput(): void {
    const isFull = this.#lines.queuedBytes > highWaterBytes;
    if (isFull === this.#isInputPaused || this.#hasInputEnded) return;
    this.#isInputPaused = isFull;
    if (isFull) this.#input.pause();
    else this.#input.resume();
  }

  #take(): unknown {
    const message = this.#lines.takeAs(this.#readLine);
    if (message === tooLong) {
      this.#pump.error ??= messageTooLarge(this.#maxLineBytes, { kind: 'line' });
      this.#pump.end();
      return undefined;
    }
    if (message !== undefined) return message;
    if (!this.#hasInputEnded || this.#isRestTaken) return undefined;
    // The last line needs no line feed. An agent that crashed may not have written it.
    this.#isRestTaken = true;
    const rest = this.#lines.rest();
    return messageIn(rest, () => {
      const text = 'The agent closed its output in the middle of a line.';
      this.#pump.listener?.onDiagnostic(warning('transport.truncated', text, rest));
    });
  }

  #read(bytes: Uint8Array, start: number, end: number, view: DataView): object | typeof skipped {
    const update = this.#envelope.read(bytes, start, end, view);
    if (update) return update;
    const line = decodeUtf8(bytes, start, end);
    const message = messageIn(line, (defect) => {
      const text = `The agent wrote a line to stdout that ${defect}. Only messages belong there; logs belong on stderr.`;
      this.#pump.listener?.onDiagnostic(warning('transport.noise', text, line));
    });
    if (message !== skipped) this.#envelope.learn(line);
    return message;
  }
}

/** Writes one JSON message per line, in the order of the calls. */
export class LineWriter {
  readonly #output: ByteOutput;
  #queuedBytes = 0;

  constructor(output: ByteOutput) {
    this.#output = output;
  }

  /** Bytes that the output has not taken yet. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Resolves when the output has taken the line. Rejects with what {@link writeMessage} throws. */
  async send(message: object): Promise<void> {
    const line = `${writeMessage(message)}\n`;
    const bytes = utf8Length(line);
    this.#queuedBytes += bytes;
    try {
      await this.#output.write(line);
    } finally {
      this.#queuedBytes -= bytes;
    }
  }
}
