import { Queue } from '../../base/queue.ts';
import { type Deferred, deferred } from '../../base/wait.ts';
import type { ChannelFault } from '../transport.ts';

/** Above this many characters that wait, the streams are not read. */
const highWaterLength = 256 * 1024;

/** What arrived, in the order in which it is delivered. */
export type Arrival =
  /** A message as text, with the session of the stream that brought it. */
  | { readonly type: 'text'; readonly text: string; readonly stream: string | undefined }
  /** An answer that was held back until the messages before it had arrived. */
  | { readonly type: 'held'; readonly message: object }
  | ChannelFault;

/** What arrived and was not delivered yet. */
export class Inbox {
  readonly #arrivals = new Queue<Arrival>();
  #waitingLength = 0;
  #room: Deferred<void> | undefined;

  add(arrival: Arrival): void {
    this.#arrivals.add(arrival);
    if (arrival.type === 'text') this.#waitingLength += arrival.text.length;
  }

  take(): Arrival | undefined {
    const arrival = this.#arrivals.take();
    if (arrival?.type === 'text') this.#waitingLength -= arrival.text.length;
    return arrival;
  }

  /** Resolves when the streams can be read on; `undefined` if they can now. */
  whenRoom(): Promise<void> | undefined {
    if (this.#waitingLength <= highWaterLength) return undefined;
    this.#room ??= deferred();
    return this.#room.promise;
  }

  /** Lets the streams be read on, if there is room. To be called after messages were taken. */
  makeRoom(): void {
    if (!this.#room || this.#waitingLength > highWaterLength) return;
    this.#room.resolve();
    this.#room = undefined;
  }
}
