import { structuredPatch } from 'diff';
import { countLines, nextLine } from './lines.ts';

const contextLines = 3;

/** Longer changes are shown as one block, because the search for the shortest diff takes quadratic time. */
const maxEdits = 500;

/** The same for changes that span more lines, old and new together. */
const maxChangedLines = 20_000;

/**
 * The hunks of a unified diff with three lines of context. Empty for equal texts.
 *
 * A change beyond the limits is one hunk that removes all lines between the first and the last difference and adds
 * the new ones. The result depends only on the texts, not on time.
 */
export function unifiedDiff(oldText: string, newText: string): string {
  if (oldText === newText) return '';
  const change = changedRange(oldText, newText);
  const head = oldText.slice(linesBefore(oldText, change.start), change.start);
  const tail = oldText.slice(change.oldEnd, linesAfter(oldText, change.oldEnd));
  const removed = oldText.slice(change.start, change.oldEnd);
  const added = newText.slice(change.start, change.newEnd);
  const firstLine = 1 + countLines(oldText.slice(0, change.start)) - countLines(head);
  const hunks =
    countLines(removed) + countLines(added) <= maxChangedLines
      ? shortestHunks(head + removed + tail, head + added + tail, firstLine)
      : undefined;
  return hunks ?? singleHunk(head, removed, added, tail, firstLine);
}

/** The lines between the first and the last difference. `start` is the same in both texts. */
function changedRange(oldText: string, newText: string) {
  const shorter = Math.min(oldText.length, newText.length);
  let start = 0;
  while (start < shorter && oldText.charCodeAt(start) === newText.charCodeAt(start)) start++;
  start = lineStart(oldText, start);
  let oldEnd = oldText.length;
  let newEnd = newText.length;
  while (
    Math.min(oldEnd, newEnd) > start &&
    oldText.charCodeAt(oldEnd - 1) === newText.charCodeAt(newEnd - 1)
  ) {
    oldEnd--;
    newEnd--;
  }
  if (lineStart(oldText, oldEnd) !== oldEnd || lineStart(newText, newEnd) !== newEnd) {
    // The common end starts within a line, which belongs to the change.
    const lineEnd = nextLine(oldText, oldEnd);
    newEnd += lineEnd - oldEnd;
    oldEnd = lineEnd;
  }
  return { start, oldEnd, newEnd };
}

function shortestHunks(oldText: string, newText: string, firstLine: number): string | undefined {
  const options = { context: contextLines, maxEditLength: maxEdits };
  const patch = structuredPatch('', '', oldText, newText, '', '', options);
  // Agents often send excerpts. That neither of them ends with a line feed is not part of the change.
  const isExcerpt = oldText.endsWith('\n') === newText.endsWith('\n');
  return patch?.hunks
    .map(({ oldStart, oldLines, newStart, newLines, lines }) => {
      const header = hunkHeader(firstLine - 1 + oldStart, oldLines, firstLine - 1 + newStart, newLines);
      return [header, ...(isExcerpt ? lines.filter((line) => !line.startsWith('\\')) : lines)].join('\n');
    })
    .join('\n');
}

function singleHunk(head: string, removed: string, added: string, tail: string, firstLine: number): string {
  const unchanged = countLines(head) + countLines(tail);
  const header = hunkHeader(
    firstLine,
    unchanged + countLines(removed),
    firstLine,
    unchanged + countLines(added),
  );
  const blocks = [marked(' ', head), marked('-', removed), marked('+', added), marked(' ', tail)];
  return [header, ...blocks.filter((block) => block !== '')].join('\n');
}

/** A start line of a range without lines is the line before it, as in other unified diffs. */
function hunkHeader(oldStart: number, oldLines: number, newStart: number, newLines: number): string {
  const range = (start: number, lines: number) => `${lines === 0 ? start - 1 : start},${lines}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

/** The lines of `text` with `mark` before each, without a line feed at the end. */
function marked(mark: string, text: string): string {
  // Several times faster than `replaceAll` for many lines.
  return (
    text &&
    mark +
      text
        .slice(0, text.endsWith('\n') ? -1 : undefined)
        .split('\n')
        .join(`\n${mark}`)
  );
}

/** Start of the line that contains `index`. */
function lineStart(text: string, index: number): number {
  return index === 0 ? 0 : text.lastIndexOf('\n', index - 1) + 1;
}

/** Start of the context before a line. */
function linesBefore(text: string, start: number): number {
  let index = start;
  for (let count = 0; count < contextLines && index > 0; count++) index = lineStart(text, index - 1);
  return index;
}

/** End of the context after a line. */
function linesAfter(text: string, end: number): number {
  let index = end;
  for (let count = 0; count < contextLines && index < text.length; count++) index = nextLine(text, index);
  return index;
}
