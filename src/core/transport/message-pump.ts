import { errorMessage } from '../base/diagnostic.ts';
import type { AcpError } from '../base/errors.ts';
import { deferred } from '../base/wait.ts';
import { macrotask } from './macrotask.ts';
import { defects, parseMessage } from './parse-message.ts';
import type { TransportEnd, TransportListener } from './transport.ts';

/** How long one stretch of delivery may keep the event loop busy, in milliseconds. */
const sliceMs = 8;
/** Reading the clock costs as much as handling a small message, so it is read once for this many messages. */
const messagesPerClockReading = 8;

/** Stands for input that is not a message. */
export const skipped: unique symbol = Symbol('skipped');

/** The message in a text, for a pump. What is wrong with a text that is none is reported, unless it is blank. */
export function messageIn(text: string, onDefect: (defect: string) => void): object | typeof skipped {
  const message = parseMessage(text);
  if (typeof message !== 'string') return message;
  if (message !== 'blank') onDefect(defects[message]);
  return skipped;
}

/** Where a {@link MessagePump} gets its messages. */
export interface MessageSource {
  /**
   * Returns the next message that has arrived whole, {@link skipped} for input that is not a message, or `undefined` if
   * there is none. Input that makes it throw must not be returned again.
   */
  take(): unknown;
  /** Called after each stretch of delivery: the time to pause or resume the input. */
  afterDelivery?(): void;
}

/**
 * Delivers messages one by one, in order, and can be paused between two of them.
 *
 * A message is taken from its source when it is due. A stretch of delivery ends after a few milliseconds and goes on
 * after the event loop has run, so that a long replay does not freeze an editor.
 */
export class MessagePump {
  readonly #source: MessageSource;
  /** Absent until something listens. */
  listener: TransportListener | undefined;
  #isPaused = false;
  #isRunning = false;
  #isScheduled = false;
  #hasEnded = false;
  /** What ended the channel. Absent after an orderly end. */
  error: AcpError | undefined;
  readonly #ended = deferred<TransportEnd>();
  /** Resolves after {@link end}, when the last message was delivered or if nothing listens. */
  readonly ended = this.#ended.promise;

  constructor(source: MessageSource) {
    this.#source = source;
  }

  // A transport has these three as its own functions.
  readonly listen = (listener: TransportListener): void => {
    this.listener = listener;
    this.#schedule();
  };

  readonly pause = (): void => {
    this.#isPaused = true;
  };

  /** Delivers again, and begins with it at once. */
  readonly resume = (): void => {
    this.#isPaused = false;
    this.run();
  };

  /** Nothing more will arrive. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#schedule();
  }

  /** Delivers what has arrived. To be called when something arrives. */
  run(): void {
    if (this.#isRunning || this.#isPaused) return;
    this.#isRunning = true;
    const isEmpty = this.listener ? this.#deliver(this.listener) : true;
    this.#isRunning = false;
    this.#source.afterDelivery?.();
    if (isEmpty && this.#hasEnded) this.#ended.resolve(this.error ? { error: this.error } : {});
  }

  /** Delivers for a while. Returns whether nothing is left. */
  #deliver(listener: TransportListener): boolean {
    let deadline = 0;
    for (let count = 0; !this.#isPaused; count++) {
      if (count % messagesPerClockReading === 0) {
        const now = performance.now();
        if (deadline === 0) deadline = now + sliceMs;
        else if (now >= deadline) {
          this.#schedule();
          return false;
        }
      }
      try {
        const message = this.#source.take();
        if (message === undefined) return true;
        if (message !== skipped) listener.onMessage(message);
      } catch (error) {
        const text = `A message of the agent could not be read, and was dropped: ${errorMessage(error)}. Please report this.`;
        listener.onDiagnostic({ rule: 'client.failed', severity: 'error', message: text });
      }
    }
    return false;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    macrotask(() => {
      this.#isScheduled = false;
      this.run();
    });
  }
}
