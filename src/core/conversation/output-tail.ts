import { utf8Length } from '../base/utf8-length.ts';
import type { ConversationTerminal } from '../model/conversation.ts';
import { TextBuffer } from './text-buffer.ts';
import { decodeUtf8, positionOf } from './utf8.ts';

/** Maximum output kept for each terminal, in bytes of UTF-8. Older output is dropped. */
export const maxTerminalBytes = 1024 * 1024;

/** Output is dropped in units of this size. To cut at each byte would copy the output for each chunk. */
const dropUnitBytes = 64 * 1024;

/** The output of a terminal with its length as UTF-8. */
export interface Output {
  readonly text: string;
  readonly bytes: number;
  readonly droppedBytes: number;
  /** The bytes of a character that is not complete. */
  readonly incomplete: readonly number[];
}

/**
 * The last part of a terminal's output. It is cut when it has twice the maximum length, so that the cost is linear in the
 * length of the output, independent of the size of its chunks.
 */
export class OutputTail {
  #kept: Output;
  readonly #added = new TextBuffer();
  #addedBytes = 0;
  #lastAdded = '';
  readonly #droppedBefore: number;
  #incomplete: readonly number[];

  constructor(kept: Output) {
    this.#kept = kept;
    this.#incomplete = kept.incomplete;
    this.#droppedBefore = kept.droppedBytes;
  }

  /** Appends bytes. Returns their text, up to the last character that is complete. */
  pushBytes(bytes: Uint8Array): string {
    const { text, incomplete } = decodeUtf8(this.#incomplete, bytes);
    this.#incomplete = incomplete;
    this.pushText(text);
    return text;
  }

  pushText(text: string): void {
    if (text === '') return;
    this.#added.push(text);
    this.#addedBytes += utf8Length(text);
    if (this.#kept.bytes + this.#addedBytes > 2 * maxTerminalBytes) this.#join();
  }

  /** The output as it is now. */
  read(): Output {
    if (this.#addedBytes > 0) this.#join();
    return { ...this.#kept, incomplete: this.#incomplete };
  }

  /** What was added to the end, after `read`. Empty if the output does not begin any more where it began. */
  get added(): string {
    // Output that was joined earlier was too long, so some was dropped.
    return this.#kept.droppedBytes === this.#droppedBefore ? this.#lastAdded : '';
  }

  #join(): void {
    const { text, bytes, droppedBytes } = this.#kept;
    this.#lastAdded = this.#added.take();
    const whole = { text: text + this.#lastAdded, bytes: bytes + this.#addedBytes, droppedBytes };
    this.#kept = lastOutput({ ...whole, incomplete: [] });
    this.#addedBytes = 0;
  }
}

/** The output of a terminal that sent it at once. */
export function wholeOutput(text: string, droppedBytes = 0, incomplete: readonly number[] = []): Output {
  return lastOutput({ text, bytes: utf8Length(text), droppedBytes, incomplete });
}

/** The end of an output, within the limit. The cut depends on how much was printed, and not on the chunks. */
function lastOutput(output: Output): Output {
  const excess = output.droppedBytes + output.bytes - maxTerminalBytes;
  const cut = Math.ceil(excess / dropUnitBytes) * dropUnitBytes - output.droppedBytes;
  if (cut <= 0) return output;
  const { index, bytes } = positionOf(output.text, cut);
  return {
    ...output,
    text: output.text.slice(index),
    bytes: output.bytes - bytes,
    droppedBytes: output.droppedBytes + bytes,
  };
}

/** A terminal with another output. */
export function withOutput(
  terminal: ConversationTerminal,
  { text, droppedBytes, incomplete }: Output,
): ConversationTerminal {
  const { incompleteBytes: _, ...rest } = terminal;
  const incompleteBytes = incomplete.length > 0 && { incompleteBytes: incomplete };
  return { ...rest, output: text, droppedBytes, ...incompleteBytes };
}
