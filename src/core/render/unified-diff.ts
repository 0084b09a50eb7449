import { structuredPatch } from 'diff';
import { anchoredChanges, type LineChange } from './anchored-diff.ts';
import { countLines, nextLine } from './lines.ts';
import type { DiffLine } from './patch-sections.ts';

const contextLines = 3;

/** For longer changes the shortest diff is not searched, because that takes quadratic time. */
const maxEdits = 500;

/** The same for changes that span more lines, old and new together. */
const maxChangedLines = 20_000;

/**
 * The lines of the hunks of a unified diff with three lines of context, each hunk with its position before it. Empty for
 * equal texts.
 *
 * Beyond the limits, the result can be longer than the shortest diff: see `anchoredChanges`. It depends only on the texts,
 * not on time.
 */
export function changedLines(oldText: string, newText: string): readonly DiffLine[] {
  if (oldText === newText) return [];
  const change = changedRange(oldText, newText);
  const head = oldText.slice(linesBefore(oldText, change.start), change.start);
  const tail = oldText.slice(change.oldEnd, linesAfter(oldText, change.oldEnd));
  const removed = oldText.slice(change.start, change.oldEnd);
  const added = newText.slice(change.start, change.newEnd);
  const firstLine = 1 + countLines(oldText.slice(0, change.start)) - countLines(head);
  const texts = [head + removed + tail, head + added + tail, firstLine] as const;
  const isShort = countLines(removed) + countLines(added) <= maxChangedLines;
  const shortest = isShort ? shortestLines(...texts) : undefined;
  return shortest ?? anchoredLines(...texts);
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

const changeOf: Readonly<Record<string, DiffLine['change']>> = { ' ': 'same', '+': 'added', '-': 'removed' };

function shortestLines(oldText: string, newText: string, firstLine: number): readonly DiffLine[] | undefined {
  const options = { context: contextLines, maxEditLength: maxEdits };
  const patch = structuredPatch('', '', oldText, newText, '', '', options);
  // Agents often send excerpts. That neither of them ends with a line feed is not part of the change.
  const isExcerpt = oldText.endsWith('\n') === newText.endsWith('\n');
  if (!patch) return undefined;
  const result: DiffLine[] = [];
  for (const { oldStart, oldLines, newStart, newLines, lines } of patch.hunks) {
    const next = { oldLine: firstLine - 1 + oldStart, newLine: firstLine - 1 + newStart };
    addLine(result, 'position', hunkHeader(next, oldLines, newLines));
    for (const line of lines) {
      const change = changeOf[line.charAt(0)];
      if (change) addLine(result, change, line.slice(1), next);
      else if (!isExcerpt) addLine(result, 'note', line);
    }
  }
  return result;
}

/** The lines of the hunks of texts that are too long for the shortest diff. */
function anchoredLines(oldText: string, newText: string, firstLine: number): readonly DiffLine[] {
  const oldLines = linesOf(oldText);
  const newLines = linesOf(newText);
  const changes = anchoredChanges(oldLines, newLines);
  const result: DiffLine[] = [];
  for (let index = 0; index < changes.length; ) {
    const first = index;
    // Changes whose context would meet are one hunk.
    const gap = () =>
      (changes[index]?.oldStart ?? Number.POSITIVE_INFINITY) - (changes[index - 1]?.oldEnd ?? 0);
    do index++;
    while (gap() <= 2 * contextLines);
    addHunk(result, changes.slice(first, index), oldLines, newLines, firstLine);
  }
  return result;
}

function addHunk(
  result: DiffLine[],
  changes: readonly LineChange[],
  oldLines: readonly string[],
  newLines: readonly string[],
  firstLine: number,
): void {
  const before = Math.min(contextLines, changes[0]?.oldStart ?? 0);
  const start = (changes[0]?.oldStart ?? 0) - before;
  const newStart = (changes[0]?.newStart ?? 0) - before;
  const end = Math.min(oldLines.length, (changes.at(-1)?.oldEnd ?? 0) + contextLines);
  const newEnd = (changes.at(-1)?.newEnd ?? 0) + end - (changes.at(-1)?.oldEnd ?? 0);
  const next = { oldLine: firstLine + start, newLine: firstLine + newStart };
  addLine(result, 'position', hunkHeader(next, end - start, newEnd - newStart));
  let copied = start;
  const copy = (to: number) => {
    for (; copied < to; copied++) addLine(result, 'same', oldLines[copied] ?? '', next);
  };
  for (const change of changes) {
    copy(change.oldStart);
    for (; copied < change.oldEnd; copied++) addLine(result, 'removed', oldLines[copied] ?? '', next);
    for (const line of newLines.slice(change.newStart, change.newEnd)) addLine(result, 'added', line, next);
  }
  copy(end);
}

/** The numbers of the next line in both texts. */
interface Place {
  oldLine: number;
  newLine: number;
}

/** @param next - Absent for what is not a line of a text. */
function addLine(result: DiffLine[], change: DiffLine['change'], text: string, next?: Place): void {
  const oldLine = next && change !== 'added' ? next.oldLine++ : null;
  const newLine = next && change !== 'removed' ? next.newLine++ : null;
  result.push({ change, text, oldLine, newLine });
}

/** The lines of a text. A line feed at the end does not begin another one. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** A start line of a range without lines is the line before it, as in other unified diffs. */
function hunkHeader({ oldLine, newLine }: Place, oldLines: number, newLines: number): string {
  const range = (start: number, lines: number) => `${lines === 0 ? start - 1 : start},${lines}`;
  return `@@ -${range(oldLine, oldLines)} +${range(newLine, newLines)} @@`;
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
