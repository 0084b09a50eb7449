import { TextBuffer } from '../conversation/text-buffer.ts';
import { columnsOf } from './columns.ts';

const lineFeed = 10;

/** Puts `before` and `after` around each line that is not empty. Several times faster than a regular expression. */
export function aroundLines(text: string, before: string, after = ''): string {
  const firstEnd = text.indexOf('\n');
  // Most spans are one line.
  if (firstEnd === text.length - 1 && firstEnd > 0) return `${before}${text.slice(0, firstEnd)}${after}\n`;
  const result = new TextBuffer();
  let copied = 0;
  for (let start = 0; start < text.length; start++) {
    if (text.charCodeAt(start) === lineFeed) continue;
    const end = lineEnd(text, start);
    result.push(text.slice(copied, start));
    result.push(before);
    if (after) {
      result.push(text.slice(start, end));
      result.push(after);
    }
    copied = after ? end : start;
    start = end;
  }
  result.push(text.slice(copied));
  return result.take();
}

/** Wraps the lines that take more than this number of columns. */
export function wrapLines(text: string, columns: number): string {
  const result = new TextBuffer();
  let copied = 0;
  for (let start = 0; start < text.length; start++) {
    const end = lineEnd(text, start);
    if (isWiderThan(columns, text, start, end)) {
      result.push(text.slice(copied, start));
      wrapLine(text.slice(start, end), columns, result);
      copied = end;
    }
    start = end;
  }
  result.push(text.slice(copied));
  return result.take();
}

function isWiderThan(columns: number, text: string, start: number, end: number): boolean {
  const length = end - start;
  // A character takes two columns at most.
  return length > columns || (2 * length > columns && columnsOf(text.slice(start, end)) > columns);
}

/**
 * Breaks a line at spaces and indents the rest as far as its bullet. A longer word stays whole, so that it can be
 * copied.
 */
function wrapLine(line: string, columns: number, result: TextBuffer): void {
  const indent = ' '.repeat(/^ {0,9}(?:[-*] )?/.exec(line)?.[0].length ?? 0);
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
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
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
