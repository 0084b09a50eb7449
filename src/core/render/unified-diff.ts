import { diffArrays } from 'diff';
import { type Anchor, changesBetween, commonUniqueLines, type LineChange } from './anchored-diff.ts';
import type { DiffLine } from './patch-sections.ts';

const contextLines = 3;

/** For longer changes the shortest diff is not searched, because that takes quadratic time. */
const maxEdits = 500;

/** The same for changes that span more lines, old and new together. */
const maxChangedLines = 20_000;

/** Follows a last line without a line feed where the other text ends with one. */
const noLineFeed = '\n\\ No newline at end of file';

/**
 * The lines of the hunks of a unified diff with three lines of context, each hunk with its position before it. Empty for
 * equal texts.
 *
 * Beyond the limits, the result can be longer than the shortest diff: see `commonUniqueLines`. It depends only on the
 * texts, not on time.
 */
export function changedLines(oldText: string, newText: string): readonly DiffLine[] {
  // Agents often send excerpts. That neither of them ends with a line feed is not part of the change.
  const end = oldText.endsWith('\n') === newText.endsWith('\n') ? '' : noLineFeed;
  const allOld = linesOf(oldText, end);
  const allNew = linesOf(newText, end);
  const shorter = Math.min(allOld.length, allNew.length);
  let before = 0;
  while (before < shorter && allOld[before] === allNew[before]) before++;
  let after = 0;
  while (after < shorter - before && allOld.at(-1 - after) === allNew.at(-1 - after)) after++;
  const start = Math.max(0, before - contextLines);
  const left = Math.max(0, after - contextLines);
  const oldLines = allOld.slice(start, allOld.length - left);
  const newLines = allNew.slice(start, allNew.length - left);
  const isShort = allOld.length + allNew.length - 2 * (before + after) <= maxChangedLines;
  const shortest = isShort ? shortestDiff(oldLines, newLines) : undefined;
  const changes = changesBetween(shortest ?? commonUniqueLines(oldLines, newLines), oldLines, newLines);
  const result: DiffLine[] = [];
  for (const hunk of hunksOf(changes)) addHunk(result, hunk, oldLines, newLines, start + 1);
  return result;
}

/** The lines of a text. A line feed at the end does not begin another one. */
function linesOf(text: string, end: string): readonly string[] {
  const lines = text.split('\n');
  const last = lines.pop();
  if (last) lines.push(last + end);
  return lines;
}

/** The lines that are the same in the shortest diff. `undefined` if that has too many edits. */
function shortestDiff(oldLines: readonly string[], newLines: readonly string[]): Anchor[] | undefined {
  const parts = diffArrays([...oldLines], [...newLines], { maxEditLength: maxEdits });
  let oldIndex = 0;
  let newIndex = 0;
  return parts?.flatMap(({ added, removed, count }) => {
    const start = { oldIndex, newIndex };
    if (!added) oldIndex += count;
    if (!removed) newIndex += count;
    if (added || removed) return [];
    return Array.from({ length: count }, (_, at) => ({
      oldIndex: start.oldIndex + at,
      newIndex: start.newIndex + at,
    }));
  });
}

/** One change or more. */
type Hunk = [LineChange, ...LineChange[]];

/** Changes whose context would meet are one hunk. */
function hunksOf(changes: readonly LineChange[]): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let lastEnd = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    if (change.oldStart - lastEnd <= 2 * contextLines) hunks.at(-1)?.push(change);
    else hunks.push([change]);
    lastEnd = change.oldEnd;
  }
  return hunks;
}

function addHunk(
  result: DiffLine[],
  hunk: Hunk,
  oldLines: readonly string[],
  newLines: readonly string[],
  firstLine: number,
): void {
  const [first] = hunk;
  const last = hunk.at(-1) ?? first;
  const before = Math.min(contextLines, first.oldStart);
  const after = Math.min(contextLines, oldLines.length - last.oldEnd);
  let copied = first.oldStart - before;
  const newStart = first.newStart - before;
  const next = { oldLine: firstLine + copied, newLine: firstLine + newStart };
  const text = hunkHeader(next, last.oldEnd + after - copied, last.newEnd + after - newStart);
  result.push({ change: 'position', text, oldLine: null, newLine: null });
  const copy = (change: DiffLine['change'], end: number) => {
    for (; copied < end; copied++) addLine(result, change, oldLines[copied] ?? '', next);
  };
  for (const { oldStart, oldEnd, newStart, newEnd } of hunk) {
    copy('same', oldStart);
    copy('removed', oldEnd);
    for (const line of newLines.slice(newStart, newEnd)) addLine(result, 'added', line, next);
  }
  copy('same', last.oldEnd + after);
}

/** The numbers of the next line in both texts. */
interface Place {
  oldLine: number;
  newLine: number;
}

function addLine(result: DiffLine[], change: DiffLine['change'], line: string, next: Place): void {
  const oldLine = change === 'added' ? null : next.oldLine++;
  const newLine = change === 'removed' ? null : next.newLine++;
  const [text = '', note] = line.split('\n');
  result.push({ change, text, oldLine, newLine });
  if (note !== undefined) result.push({ change: 'note', text: note, oldLine: null, newLine: null });
}

/** A start line of a range without lines is the line before it, as in other unified diffs. */
function hunkHeader({ oldLine, newLine }: Place, oldLines: number, newLines: number): string {
  const range = (start: number, lines: number) => `${lines === 0 ? start - 1 : start},${lines}`;
  return `@@ -${range(oldLine, oldLines)} +${range(newLine, newLines)} @@`;
}
