import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { JsonObject } from '../json.ts';

/**
 * The lines of a stream of bytes, without their ends. A last line that has no end is left out.
 *
 * Only `\n` ends a line: JSON text may hold U+2028, which other readers of lines take for an end.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const bytes of input) {
    const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n');
    begun.push(first);
    for (const next of others) {
      yield begun.join('');
      begun = [next];
    }
  }
}

/** Writes messages one a line, in the order of the calls, no faster than the other side reads. */
export class MessageWriter {
  readonly #output: Writable;
  #last: Promise<void> = Promise.resolve();
  #broken = false;

  constructor(output: Writable) {
    this.#output = output;
    output.on('error', () => {
      this.#broken = true;
    });
  }

  /** Resolves when the messages are written, and there is room for more. Never rejects. */
  write(messages: readonly JsonObject[]): Promise<void> {
    this.#last = this.#last.then(async () => {
      for (const message of messages) await this.#writeText(`${JSON.stringify(message)}\n`);
    });
    return this.#last;
  }

  /** Writes what is no whole message, after all that was written before, and nothing after it. */
  breakOff(fragment: string): Promise<void> {
    this.#last = this.#last.then(async () => {
      await this.#writeText(fragment);
      this.#broken = true;
    });
    return this.#last;
  }

  /** Resolves when all is written. */
  settled(): Promise<void> {
    return this.#last;
  }

  async #writeText(value: string): Promise<void> {
    if (this.#broken || this.#output.write(value)) return;
    // The reader may leave instead of reading on.
    await once(this.#output, 'drain').catch(() => undefined);
  }
}
