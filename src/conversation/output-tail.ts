import type { Terminal } from '../model/conversation.ts';
import { TextRun } from './text-run.ts';

/** How many bytes of a terminal are kept at most: the last ones. */
export const maxTerminalBytes = 1024 * 1024;

/** What is dropped is dropped in pieces of so many bytes. Cut at every byte, an output would be copied for each. */
const droppedAtOnce = 64 * 1024;

type Output = Pick<Terminal, 'bytes' | 'droppedBytes'>;

/**
 * What a terminal prints, of which the last bytes are kept. It is cut when as much again has come, so that output
 * without end costs what it is long, in whatever pieces it comes.
 */
export class OutputTail {
  #kept: Output;
  readonly #waiting = new TextRun();
  #waitingBytes = 0;

  constructor(kept: Output) {
    this.#kept = kept;
  }

  push(bytes: string): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#kept.bytes.length + this.#waitingBytes > 2 * maxTerminalBytes) this.#cut();
  }

  /** What is kept now. */
  read(): Output {
    if (this.#waitingBytes > 0) this.#cut();
    return this.#kept;
  }

  #cut(): void {
    const { bytes, droppedBytes } = this.#kept;
    this.#kept = bounded(bytes + this.#waiting.take(), droppedBytes);
    this.#waitingBytes = 0;
  }
}

/** The end of an output, as long as is kept. Where it is cut follows from its length alone, however it came. */
export function bounded(bytes: string, droppedBytes: number): Output {
  const excess = Math.max(0, bytes.length - maxTerminalBytes);
  const cut = Math.ceil(excess / droppedAtOnce) * droppedAtOnce;
  return { bytes: bytes.slice(cut), droppedBytes: droppedBytes + cut };
}
