import { preview } from '../diagnostic.ts';
import { MessageTooLargeError } from '../errors.ts';
import { AbstractMessageWriter, type Message } from './jsonrpc.ts';
import { decodeUtf8, LineDecoder, tooLong } from './lines.ts';
import { PacedReader, skipped } from './paced-reader.ts';
import { defects, parseMessage } from './parse-message.ts';
import { UpdateEnvelope } from './update-envelope.ts';

/** Above so much waiting input the source is asked to pause; 256 KiB costs no throughput. */
const highWaterBytes = 256 * 1024;

/** Where bytes come from, as a Node stream gives them. */
export interface ByteSource {
  /** The bytes, in any pieces. */
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  /** Nothing more will come. Either of the two is enough. */
  on(event: 'end' | 'close', listener: () => void): unknown;
  /** Reading failed. The source counts as ended. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Asks for no more for now. What still comes is taken. */
  pause(): unknown;
  /** Asks for more. */
  resume(): unknown;
}

/** Where bytes go, as a Node stream takes them. */
export interface ByteSink {
  /**
   * Takes text in the order of the calls, and calls `done` when it was taken, or with an error if it was not.
   */
  write(chunk: string, done: (error?: Error | null) => void): unknown;
  /** Nothing more will be written. */
  end(): unknown;
  /** Writing failed. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Nothing can be written any more. */
  on(event: 'close', listener: () => void): unknown;
}

/** What an {@link NdjsonReader} puts up with. */
export interface NdjsonReaderOptions {
  /** The longest line taken, in bytes, up to 512 MiB. Default: 128 MiB. A longer one ends the channel with `MessageTooLargeError`. */
  readonly maxLineBytes?: number;
}

/** No line can be longer: there is no longer string, in bytes of ASCII. */
const longestLineBytes = 2 ** 29 - 24;

/** The longest line taken unless the user says otherwise. */
export const defaultMaxLineBytes = 128 * 1024 * 1024;

/**
 * Reads one JSON message a line.
 *
 * Blank lines and a carriage return before the line feed are passed over. A line that is not a JSON object or
 * array is reported as a diagnostic, and the next line goes on.
 *
 * @see https://agentclientprotocol.com/protocol/transports
 */
export class NdjsonReader extends PacedReader {
  readonly #source: ByteSource;
  readonly #lines: LineDecoder;
  readonly #envelope = new UpdateEnvelope();
  readonly #readLine = this.#read.bind(this);
  readonly #maxLineBytes: number;
  #paused = false;
  #sourceEnded = false;
  #restTaken = false;

  constructor(source: ByteSource, options: NdjsonReaderOptions = {}) {
    super();
    this.#maxLineBytes = Math.min(options.maxLineBytes ?? defaultMaxLineBytes, longestLineBytes);
    this.#lines = new LineDecoder(this.#maxLineBytes);
    this.#source = source;
    const ended = () => {
      this.#sourceEnded = true;
      this.end();
    };
    source.on('data', (chunk) => {
      this.#lines.push(chunk);
      this.run();
      this.paced();
    });
    source.on('end', ended);
    source.on('close', ended);
    source.on('error', (error) => {
      this.fireError(error);
      ended();
    });
  }

  protected take(): Message | typeof skipped | undefined {
    const message = this.#lines.takeAs(this.#readLine);
    if (message === tooLong) {
      const limit = this.#maxLineBytes;
      this.fireError(
        new MessageTooLargeError(
          `The agent sent a line longer than ${limit} bytes: reading stopped. Raise maxLineBytes if such messages are to be expected.`,
          { limitBytes: limit },
        ),
      );
      this.end();
      return undefined;
    }
    if (message !== undefined) return message;
    if (!this.#sourceEnded || this.#restTaken) return undefined;
    // The last line needs no line feed if it is whole: what an agent said before it crashed is not lost.
    this.#restTaken = true;
    return this.#parseRest(this.#lines.rest());
  }

  protected paced(): void {
    const full = this.#lines.queuedBytes > highWaterBytes;
    if (full === this.#paused || this.#sourceEnded) return;
    this.#paused = full;
    if (full) this.#source.pause();
    else this.#source.resume();
  }

  override hold(): void {
    super.hold();
    this.paced();
  }

  #read(bytes: Uint8Array, start: number, end: number): Message | typeof skipped {
    const update = this.#envelope.read(bytes, start, end);
    if (update) return update;
    const line = decodeUtf8(bytes, start, end);
    this.#envelope.learn(line);
    const message = parseMessage(line);
    if (typeof message !== 'string') return message;
    if (message !== 'blank') {
      this.onDiagnostic?.({
        rule: 'transport.noise',
        severity: 'warning',
        message: `The agent wrote a line to stdout that ${defects[message]}. Only messages belong there; logs belong on stderr.`,
        received: preview(line),
      });
    }
    return skipped;
  }

  #parseRest(rest: string): Message | typeof skipped {
    const message = parseMessage(rest);
    if (typeof message !== 'string') return message;
    if (message !== 'blank') {
      this.onDiagnostic?.({
        rule: 'transport.truncated',
        severity: 'warning',
        message: 'The agent closed its output in the middle of a line.',
        received: preview(rest),
      });
    }
    return skipped;
  }
}

/**
 * Writes one JSON message a line, in the order of the calls. `write` resolves when the sink took the line.
 *
 * @see https://agentclientprotocol.com/protocol/transports
 */
export class NdjsonWriter extends AbstractMessageWriter {
  readonly #sink: ByteSink;
  #failures = 0;

  constructor(sink: ByteSink) {
    super();
    this.#sink = sink;
    sink.on('error', (error) => this.fireError(error));
    sink.on('close', () => this.fireClose());
  }

  /**
   * Resolves when the sink took the line, and rejects if it did not. Throws a `TypeError` for what JSON
   * cannot say.
   */
  write(message: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#sink.write(`${JSON.stringify(message)}\n`, (error) => {
        if (!error) return resolve();
        this.fireError(error, message, ++this.#failures);
        reject(error);
      });
    });
  }

  /** Nothing more will be written. */
  end(): void {
    this.#sink.end();
  }
}
