import { TextBuffer } from '../conversation/text-buffer.ts';
import { columnsOf } from './columns.ts';

/** Puts `before` and `after`, which have no `$`, around each line that is not empty. */
export function aroundLines(text: string, before: string, after = ''): string {
  return text.replace(/[^\n]+/g, `${before}$&${after}`);
}

/** Wraps the lines that take more than this number of columns. */
export function wrapLines(text: string, columns: number): string {
  return text.replace(/[^\n]+/g, (line) => {
    // A character takes two columns at most.
    const isNarrow = 2 * line.length <= columns || (line.length <= columns && columnsOf(line) <= columns);
    return isNarrow ? line : wrapLine(line, columns);
  });
}

/**
 * Breaks a line at spaces and indents the rest as far as its bullet. A longer word stays whole, so that it can be
 * copied.
 */
function wrapLine(line: string, columns: number): string {
  const indent = ' '.repeat(/^ {0,9}(?:[-*] )?/.exec(line)?.[0].length ?? 0);
  const result = new TextBuffer();
  let used = 0;
  for (let start = 0; start < line.length; ) {
    let wordStart = start;
    while (line[wordStart] === ' ') wordStart++;
    const space = line.indexOf(' ', wordStart);
    const end = space === -1 ? line.length : space;
    const word = line.slice(wordStart, end);
    const wordColumns = columnsOf(word);
    const gap = wordStart - start;
    if (used > indent.length && used + gap + wordColumns > columns) {
      if (word !== '') result.push(`\n${indent}${word}`);
      used = indent.length + wordColumns;
    } else {
      result.push(line.slice(start, end));
      used += gap + wordColumns;
    }
    start = end;
  }
  return result.take();
}

/** Start of the line after `index`, or the end of the text. */
export function nextLine(text: string, index: number): number {
  return text.indexOf('\n', index) + 1 || text.length;
}

/** How many lines a text has. A line feed at the end does not begin another one. */
export function countLines(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index = nextLine(text, index)) count++;
  return count;
}
