import { structuredPatch } from 'diff';
import { TextBuffer } from '../conversation/text-buffer.ts';
import { anchoredChanges, type LineChange } from './anchored-diff.ts';
import { countLines, nextLine } from './lines.ts';

const contextLines = 3;

/** For longer changes the shortest diff is not searched, because that takes quadratic time. */
const maxEdits = 500;

/** The same for changes that span more lines, old and new together. */
const maxChangedLines = 20_000;

/**
 * The hunks of a unified diff with three lines of context. Empty for equal texts.
 *
 * Beyond the limits, the result can be longer than the shortest diff: see `anchoredChanges`. It depends only on the texts,
 * not on time.
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
  return hunks ?? anchoredHunks(head + removed + tail, head + added + tail, firstLine);
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

/** The hunks of texts that are too long for the shortest diff. */
function anchoredHunks(oldText: string, newText: string, firstLine: number): string {
  const oldLines = linesOf(oldText);
  const newLines = linesOf(newText);
  const changes = anchoredChanges(oldLines, newLines);
  const result = new TextBuffer();
  for (let index = 0; index < changes.length; ) {
    const first = index;
    // Changes whose context would meet are one hunk.
    const gap = () =>
      (changes[index]?.oldStart ?? Number.POSITIVE_INFINITY) - (changes[index - 1]?.oldEnd ?? 0);
    do index++;
    while (gap() <= 2 * contextLines);
    const hunk = changes.slice(first, index);
    if (first > 0) result.push('\n');
    result.push(hunkOf(hunk, oldLines, newLines, firstLine));
  }
  return result.take();
}

function hunkOf(
  changes: readonly LineChange[],
  oldLines: readonly string[],
  newLines: readonly string[],
  firstLine: number,
): string {
  const before = Math.min(contextLines, changes[0]?.oldStart ?? 0);
  const start = (changes[0]?.oldStart ?? 0) - before;
  const newStart = (changes[0]?.newStart ?? 0) - before;
  const end = Math.min(oldLines.length, (changes.at(-1)?.oldEnd ?? 0) + contextLines);
  const newEnd = (changes.at(-1)?.newEnd ?? 0) + end - (changes.at(-1)?.oldEnd ?? 0);
  const lines = [hunkHeader(firstLine + start, end - start, firstLine + newStart, newEnd - newStart)];
  let copied = start;
  const copy = (to: number) => {
    for (; copied < to; copied++) lines.push(` ${oldLines[copied]}`);
  };
  for (const change of changes) {
    copy(change.oldStart);
    for (; copied < change.oldEnd; copied++) lines.push(`-${oldLines[copied]}`);
    for (let index = change.newStart; index < change.newEnd; index++) lines.push(`+${newLines[index]}`);
  }
  copy(end);
  return lines.join('\n');
}

/** The lines of a text. A line feed at the end does not begin another one. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** A start line of a range without lines is the line before it, as in other unified diffs. */
function hunkHeader(oldStart: number, oldLines: number, newStart: number, newLines: number): string {
  const range = (start: number, lines: number) => `${lines === 0 ? start - 1 : start},${lines}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
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
