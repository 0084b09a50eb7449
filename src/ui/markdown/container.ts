/** An item of a list or a quotation that was divided. Its rest is read as if it was at the top level. */
export interface Container {
  /** How many characters are before the content of the first line. */
  readonly width: number;
  /** The content of a line. `undefined` if the line does not belong to it. */
  content(line: string): string | undefined;
}

const quoteMark = /^ {0,3}> ?/;
const itemMark = /^ {0,3}(?:[-*+]|\d{1,9}[.)]) {0,4}(?=\S)/;

/** The item or the quotation that begins with a line. */
export function containerOf(line: string): Container | undefined {
  const quote = quoteMark.exec(line)?.[0];
  if (quote !== undefined) return { width: quote.length, content: quoted };
  const width = itemMark.exec(line)?.[0].length;
  return width === undefined ? undefined : { width, content: (next) => indented(next, width) };
}

function quoted(line: string): string | undefined {
  const mark = quoteMark.exec(line)?.[0];
  return mark === undefined ? undefined : line.slice(mark.length);
}

function indented(line: string, width: number): string | undefined {
  if (line.trim() === '') return line;
  return line.startsWith(' '.repeat(width)) ? line.slice(width) : undefined;
}
