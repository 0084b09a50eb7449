import { Queue } from '../../base/queue.ts';
import { type Deferred, deferred } from '../../base/wait.ts';
import type { ConversationEvent } from '../../model/event.ts';

/** Begins to follow a turn, and returns what ends that. */
export type Follow = (stream: EventStream) => () => void;

type Next = IteratorResult<ConversationEvent, undefined>;

const done: Next = { done: true, value: undefined };

/**
 * The events of a turn for one loop. Events that the loop has not read yet wait, in their order. Nothing waits once the
 * loop was left.
 */
export class EventStream implements AsyncIterator<ConversationEvent, undefined> {
  readonly #onLeave: () => void;
  readonly #waiting = new Queue<ConversationEvent>();
  /** The calls of `next` that wait. */
  readonly #readers: Deferred<Next>[] = [];
  /** How the turn ended; `undefined` while it runs. */
  #end: { readonly error?: unknown } | undefined;

  /** @param onLeave - Called when the loop is left. */
  constructor(onLeave: () => void) {
    this.#onLeave = onLeave;
  }

  push(event: ConversationEvent): void {
    const reader = this.#readers.shift();
    if (reader) reader.resolve({ done: false, value: event });
    else this.#waiting.add(event);
  }

  /** The turn ended. The loop ends when it has read what waits, and throws the error if there is one. */
  end(end: { readonly error?: unknown }): void {
    if (this.#end) return;
    this.#end = end;
    for (const reader of this.#readers.splice(0)) this.#readEnd(reader);
  }

  next(): Promise<Next> {
    const reader = deferred<Next>();
    const value = this.#waiting.take();
    if (value) reader.resolve({ done: false, value });
    else if (this.#end) this.#readEnd(reader);
    else this.#readers.push(reader);
    return reader.promise;
  }

  return(): Promise<Next> {
    this.#waiting.clear();
    this.end({});
    this.#onLeave();
    return Promise.resolve(done);
  }

  /** Only the first reader of the end gets the error, as with a generator. */
  #readEnd({ resolve, reject }: Deferred<Next>): void {
    const end = this.#end;
    this.#end = {};
    if (end && 'error' in end) reject(end.error);
    else resolve(done);
  }
}
