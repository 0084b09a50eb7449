import type { ConversationEvent } from '../../model/event.ts';
import { Queue } from '../../transport/queue.ts';

/** Begins to follow a turn, and returns what ends that. */
export type Follow = (stream: EventStream) => () => void;

type Next = IteratorResult<ConversationEvent, undefined>;

/** A call of `next` that waits. */
interface Reader {
  readonly resolve: (next: Next) => void;
  readonly reject: (error: unknown) => void;
}

const done: Next = { done: true, value: undefined };

/**
 * The events of a turn for one loop. Events that the loop has not read yet wait, in their order. Nothing waits once the
 * loop was left.
 */
export class EventStream implements AsyncIterator<ConversationEvent, undefined> {
  readonly #onLeave: () => void;
  readonly #waiting = new Queue<ConversationEvent>();
  readonly #readers: Reader[] = [];
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
    return new Promise((resolve, reject) => {
      const value = this.#waiting.take();
      if (value) resolve({ done: false, value });
      else if (this.#end) this.#readEnd({ resolve, reject });
      else this.#readers.push({ resolve, reject });
    });
  }

  return(): Promise<Next> {
    this.#waiting.clear();
    this.end({});
    this.#onLeave();
    return Promise.resolve(done);
  }

  /** Only the first reader of the end gets the error, as with a generator. */
  #readEnd({ resolve, reject }: Reader): void {
    const end = this.#end;
    this.#end = {};
    if (end && 'error' in end) reject(end.error);
    else resolve(done);
  }
}
