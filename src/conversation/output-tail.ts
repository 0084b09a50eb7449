import type { ConversationTerminal } from '../model/conversation.ts';
import { TextBuffer } from './text-buffer.ts';

/** Maximum output kept for each terminal, in bytes. Older output is dropped. */
export const maxTerminalBytes = 1024 * 1024;

/** Output is dropped in units of this size. To cut at each byte would copy the output for each chunk. */
const dropUnitBytes = 64 * 1024;

type Output = Pick<ConversationTerminal, 'bytes' | 'droppedBytes'>;

/**
 * The last bytes of a terminal's output. It is cut when it has twice the maximum length, so that the cost is linear
 * in the length of the output, independent of the size of its chunks.
 */
export class OutputTail {
  #kept: Output;
  readonly #added = new TextBuffer();
  #addedBytes = 0;
  #lastAdded = '';
  #cuts = 0;

  constructor(kept: Output) {
    this.#kept = kept;
  }

  push(bytes: string): void {
    this.#added.push(bytes);
    this.#addedBytes += bytes.length;
    if (this.#kept.bytes.length + this.#addedBytes > 2 * maxTerminalBytes) this.#cut();
  }

  /** The output as it is now. */
  read(): Output {
    if (this.#addedBytes > 0) this.#cut();
    return this.#kept;
  }

  /** What was added, after `read`. Empty if it is so long that the output was cut more than once. */
  get added(): string {
    return this.#cuts === 1 ? this.#lastAdded : '';
  }

  #cut(): void {
    const { bytes, droppedBytes } = this.#kept;
    this.#lastAdded = this.#added.take();
    this.#kept = lastBytes(bytes + this.#lastAdded, droppedBytes);
    this.#addedBytes = 0;
    this.#cuts++;
  }
}

/** The end of an output, within the limit. The cut depends only on the length, not on the chunks. */
export function lastBytes(bytes: string, droppedBytes: number): Output {
  const excess = Math.max(0, bytes.length - maxTerminalBytes);
  const cut = Math.ceil(excess / dropUnitBytes) * dropUnitBytes;
  return { bytes: bytes.slice(cut), droppedBytes: droppedBytes + cut };
}
