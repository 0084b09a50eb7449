import { chunkOf } from './chunks.ts';
import { countWhile } from './count-while.ts';
import { readQuery } from './query.ts';
import type { Row } from './rows.ts';

/** A line of the list of messages: a row, or the pieces of one text in a row. */
export interface Line {
  /** Index of the first row. */
  readonly first: number;
  /** Index of the last row. The rows between them belong to the line too. */
  last: number;
}

/** The lines of the rows that pass a search. Rows that are added are looked at alone. */
export class WireLines {
  readonly #rows: readonly Row[];
  readonly #passes: (row: Row) => boolean;
  #seen = 0;
  /** What the pieces of the last line have in common, where it is a text. */
  #of: string | undefined;
  /** How many rows pass. */
  count = 0;
  readonly lines: Line[] = [];

  constructor(rows: readonly Row[], search: string) {
    this.#rows = rows;
    this.#passes = readQuery(search);
  }

  update(): readonly Line[] {
    for (; this.#seen < this.#rows.length; this.#seen++) {
      const row = this.#rows[this.#seen];
      if (!row || !this.#passes(row)) continue;
      this.count++;
      this.#add(row);
    }
    return this.lines;
  }

  #add(row: Row): void {
    const { index } = row;
    // A piece that caused a diagnostic has a line of its own, so that its mark is seen.
    const of = row.diagnostics.length > 0 ? undefined : chunkOf(row)?.of;
    const last = this.lines.at(-1);
    const isNext = of !== undefined && of === this.#of && last?.last === index - 1;
    this.#of = of;
    if (isNext && last) last.last = index;
    else this.lines.push({ first: index, last: index });
  }

  /** The place of the line with a row. -1 if there is none. */
  placeOf(index: number): number {
    const { lines } = this;
    const place = countWhile(lines.length, (at) => (lines[at]?.last ?? 0) < index);
    return (lines[place]?.first ?? Number.POSITIVE_INFINITY) <= index ? place : -1;
  }
}
