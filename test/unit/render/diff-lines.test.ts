import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileChange, ToolCallDiff } from '../../../src/core/model/tool-call.ts';
import { changesBetween, commonUniqueLines } from '../../../src/core/render/anchored-diff.ts';
import { diffLines } from '../../../src/core/render/diff-lines.ts';
import { looks } from '../../../src/core/render/patch-sections.ts';
import { changedLines } from '../../../src/core/render/unified-diff.ts';
import { runs } from '../../support/runs.ts';

const modified = (path: string, texts: Partial<FileChange> = {}): FileChange => ({
  operation: 'modify',
  path,
  ...texts,
});
const patched = (text: string, ...paths: readonly string[]): ToolCallDiff => ({
  type: 'diff',
  changes: paths.map((path) => modified(path)),
  patch: { format: 'git_patch', text },
});

const unifiedDiff = (oldText: string, newText: string) =>
  changedLines(oldText, newText)
    .map(({ change, text }) => looks[change].sign + text)
    .join('\n');

const marks = { same: ' ', added: '+', removed: '-', position: '', note: '#' };

/** The files of a diff in short: the path, and each line with its numbers, a mark and its text. */
const inShort = (diff: ToolCallDiff) =>
  diffLines(diff).map(({ path, lines }) => {
    const shown = lines.map(({ change, text, oldLine, newLine }) => {
      const numbers = oldLine === null && newLine === null ? '' : `${oldLine ?? ''},${newLine ?? ''}`;
      return `|${numbers}${marks[change]}${text}`;
    });
    return `${path}${shown.join('')}`;
  });

const lines = '@@ -1,3 +1,3 @@|1,1 a|2,-b|,2+c|3,3 d';
const hunk = '@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n';

describe('the lines of an edit', () => {
  test.each<[string, ToolCallDiff]>([
    [
      'the texts of version 1',
      {
        type: 'diff',
        changes: [modified('/p/a.ts', { oldText: 'a\nb\nd\n', newText: 'a\nc\nd\n' })],
        patch: null,
      },
    ],
    [
      'a git patch',
      patched(`diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n${hunk}`, '/p/a.ts'),
    ],
    ['a patch without a git header', patched(`--- a.ts\n+++ a.ts\n${hunk}`, '/p/a.ts')],
    ['a patch without a header', patched(hunk, '/p/a.ts')],
    ['a patch without a line feed at the end', patched(hunk.trimEnd(), '/p/a.ts')],
  ])('are the same from %s', (_, diff) => {
    expect(inShort(diff)).toEqual([`/p/a.ts|${lines}`]);
  });

  describe('are the same from two texts and from the unified diff of them', () => {
    const expectSame = (oldText: string, newText: string) => {
      const change = modified('/p/a', { oldText, newText });
      const [direct] = diffLines({ type: 'diff', changes: [change], patch: null });
      const [read] = diffLines(patched(unifiedDiff(oldText, newText), '/p/a'));
      expect(direct).toEqual(read);
    };

    test('if they are short', () => {
      const line = fc.constantFrom('a', 'b', '', ' ', '-', '+x', '@@', '--- a', '\\ x', 'long '.repeat(9));
      const text = fc.array(line, { maxLength: 30 }).map((all) => all.join('\n'));
      fc.assert(fc.property(text, text, expectSame), { numRuns: runs(300) });
    });

    test.each([3, 50])('if they are long, and each line of %i changes', (step) => {
      const linesFrom = (sign: string) =>
        Array.from({ length: 21_000 }, (_, at) => `${at % step ? '' : sign}${at}`);
      expectSame(linesFrom('-').join('\n'), [...linesFrom('+'), 'one more'].join('\n'));
    });
  });

  test('are with the file that they change, by the path or else by the order', () => {
    const section = (path: string, text: string) =>
      `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${text}\n+${text}!\n`;
    const both = section('src/b.ts', 'b') + section('src/a.ts', 'a');
    const shown = (text: string) => `@@ -1 +1 @@|1,-${text}|,1+${text}!`;
    expect(inShort(patched(both, '/p/src/a.ts', 'C:\\p\\src\\b.ts'))).toEqual([
      `/p/src/a.ts|${shown('a')}`,
      `C:\\p\\src\\b.ts|${shown('b')}`,
    ]);
    expect(inShort(patched(both, '/p/one.ts', '/p/two.ts'))).toEqual([
      `/p/one.ts|${shown('b')}`,
      `/p/two.ts|${shown('a')}`,
    ]);
    // Where their numbers differ, the order says nothing.
    expect(inShort(patched(both, '/p/one.ts', '/p/src/a.ts', '/p/three.ts'))).toEqual([
      '/p/one.ts',
      `/p/src/a.ts|${shown('a')}`,
      '/p/three.ts',
      `src/b.ts|${shown('b')}`,
    ]);
    expect(inShort(patched(both, '/p/one.ts'))).toEqual([`/p/one.ts|${shown('b')}|${shown('a')}`]);
    // The first of several counts, and deeper folders do not.
    const deep = (folders: number) => `${'p/'.repeat(folders)}a.ts`;
    const placeIn = (...paths: string[]) =>
      inShort(patched(section('a.ts', 'a'), ...paths)).findIndex((file) => file.includes('|'));
    expect([placeIn('/b', deep(2), deep(1)), placeIn('/b', deep(63)), placeIn('/b', deep(64))]).toEqual([
      1, 1, 2,
    ]);
  });

  test.each<[string, string, ...sections: string[]]>([
    ['is empty', ''],
    ['has lines like headers', '--- a/a|+++ b/a|@@ -1 +1 @@|--- b|+++ c', 'a|@@ -1 +1 @@|1,--- b|,1+++ c'],
    [
      'has fewer lines than it says',
      '--- a|+++ a|@@ -1 +1,9 @@|-a|--- b|+++ b|@@ -1,9 +1 @@|+c|diff --git a/d b/d|--- a/d|+++ b/d',
      'a|@@ -1 +1,9 @@|1,-a',
      'b|@@ -1,9 +1 @@|,1+c',
      'd',
    ],
    ['ends like a header', '@@ -1 +1 @@|-a|+b|--- c', '|@@ -1 +1 @@|1,-a|,1+b|2,--- c'],
    ['does not say where a hunk is', '@@ def main| a|-b|+c', '|@@ def main| a|-b|+c'],
    ['says it late', '@@ f @@ -1 +1 @@|-a', '|@@ f @@ -1 +1 @@|-a'],
    ['has large numbers', '@@ -1234567,12 +34,56 @@| a', '|@@ -1234567,12 +34,56 @@|1234567,34 a'],
    ['has numbers that are too large', '@@ -12345678,1 +1,1 @@|-a|+b', '|@@ -12345678,1 +1,1 @@|-a|+b'],
    [
      'has files that git describes',
      'diff --git a/a b b/a b|old mode 1|index 1..2|new file mode 1|deleted file mode 1|similarity index 9%|Binary|' +
        'diff --git "a/\\303" "b/\\303"|dissimilarity index 9%|copy from a|copy to b| index 1|diff --git c d|Binary',
      'a b|#old mode 1|#Binary',
      '\\303|# index 1',
      '|#Binary',
    ],
    ['renames a file', 'rename from a|rename to b| rename to c|+added', 'b|# rename to c|#+added'],
    ['names files in quotes', '--- "a/\\303"|+++ "b/\\304"', '\\304'],
    ['says when files changed', '--- a/old\t2026|+++ new\t2026', 'new'],
    [
      'removes files',
      '--- a/old\t2026|+++ /dev/null|@@ -1 +0,0 @@|-a|--- "b"|+++ /dev/null',
      'old|@@ -1 +0,0 @@|1,-a',
      'b',
    ],
    ['adds a file', '--- /dev/null|+++ b/a|@@ -0,0 +1,2 @@|+a|+++ b', 'a|@@ -0,0 +1,2 @@|,1+a|,2+++ b'],
    ['names a removed file badly', '--- \t--- a|+++ /dev/null', ''],
    ['has notes', `${hunk}\\ No newline|`, `|${lines}|#\\ No newline`],
  ])('are read from a patch that %s', (_, patch, ...sections) => {
    expect(inShort(patched(patch.replaceAll('|', '\n')))).toEqual(sections);
  });

  test('are empty for a file without text, such as one that was moved', () => {
    const moved: FileChange = { operation: 'move', path: '/p/b.ts', oldPath: '/p/a.ts', oldText: 'a' };
    expect(diffLines({ type: 'diff', changes: [moved], patch: null })).toEqual([
      { operation: 'move', path: '/p/b.ts', oldPath: '/p/a.ts', lines: [] },
    ]);
  });

  test('contain no escape sequences', () => {
    const change = modified('/p/a', { oldText: '\x1b[31mred\x1b[0m\n', newText: '\x1b]0;title\x07new\n' });
    const [file] = diffLines({ type: 'diff', changes: [change], patch: null });
    expect(file?.lines.slice(1).map(({ text }) => text)).toEqual(['red', 'new']);
  });

  test('are the same list for the same object', () => {
    const diff = patched(hunk, '/p/a.ts');
    expect(diffLines(diff)).toBe(diffLines(diff));
  });
});

const numbered = (count: number, changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, index) => `${changed[index + 1] ?? index + 1}\n`).join('');

test.each([
  [
    'a change in the middle',
    numbered(9),
    numbered(9, { 5: 'five' }),
    '@@ -2,7 +2,7 @@| 2| 3| 4|-5|+five| 6| 7| 8',
  ],
  ['a new file', '', 'a\nb\n', '@@ -0,0 +1,2 @@|+a|+b'],
  ['a file that becomes empty', 'a\nb\n', '', '@@ -1,2 +0,0 @@|-a|-b'],
  ['a line added at the end', 'a\n', 'a\nb\n', '@@ -1,1 +1,2 @@| a|+b'],
  ['a line added at the start', 'b\n', 'a\nb\n', '@@ -1,1 +1,2 @@|+a| b'],
  ['a repeated line', 'a\na\n', 'a\na\na\n', '@@ -1,2 +1,3 @@| a| a|+a'],
  ['a line feed added at the end', 'a', 'a\n', '@@ -1,1 +1,1 @@|-a|\\ No newline at end of file|+a'],
  ['excerpts without a line feed at the end', 'a\nb', 'a\nc', '@@ -1,2 +1,2 @@| a|-b|+c'],
  ['a line doubled', numbered(9), numbered(9, { 4: '4\n4' }), '@@ -2,6 +2,7 @@| 2| 3| 4|+4| 5| 6| 7'],
  ['an empty first line', '\na', '\nb', '@@ -1,2 +1,2 @@| |-a|+b'],
  ['equal texts', 'a\n', 'a\n', ''],
])('shows %s', (_, before, after, expected) => {
  expect(unifiedDiff(before, after).split('\n')).toEqual(expected.split('|'));
});

test('edits with at most six lines between them are one hunk', () => {
  expect(unifiedDiff(numbered(20), numbered(20, { 5: 'x', 12: 'y' })).match(/^@@.*$/gm)).toHaveLength(1);
  expect(unifiedDiff(numbered(20), numbered(20, { 5: 'x', 13: 'y' })).match(/^@@.*$/gm)).toHaveLength(2);
});

/** Applies hunks as `patch` does: at the lines that their headers name, checking each line of context. */
function applied(before: string, diff: string): string {
  const lines = before.split(/(?<=\n)/);
  const result: string[] = [];
  let used = 0;
  for (const hunk of diff.split(/^(?=@@ )/m)) {
    const [header = '', ...rows] = hunk.replace(/\n$/, '').split('\n');
    const [, start = '', count = ''] = /^@@ -(\d+),(\d+) /.exec(header) ?? [];
    const from = Number(start) - (count === '0' ? 0 : 1);
    result.push(...lines.slice(used, from));
    const removed = rows.filter((row) => row[0] !== '+').map((row) => `${row.slice(1)}\n`);
    expect(lines.slice(from, from + removed.length)).toEqual(removed);
    expect(removed).toHaveLength(Number(count));
    result.push(...rows.filter((row) => row[0] !== '-').map((row) => `${row.slice(1)}\n`));
    used = from + removed.length;
  }
  return [...result, ...lines.slice(used)].join('');
}

test('the hunks turn the old text into the new one', () => {
  const lines = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 40 })
    .map((all) => all.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(lines, lines, lines, lines, (shared, before, after, end) => {
      fc.pre(before !== after);
      expect(applied(shared + before + end, unifiedDiff(shared + before + end, shared + after + end))).toBe(
        shared + after + end,
      );
    }),
  );
});

test('the shortest diff has at most 500 edits, within at most 20,000 lines', () => {
  // Beyond the limits, lines that occur more than once are not kept.
  const kept = (changes: number, between: number) => {
    const textOf = (line: string) => `${line}\n${'same\n'.repeat(between)}`.repeat(changes);
    return unifiedDiff(textOf('old'), textOf('new')).match(/^ same$/gm)?.length;
  };
  expect([kept(250, 1), kept(251, 1)]).toEqual([250, 1]);
  expect([kept(2, 9998), kept(2, 9999)]).toEqual([9, 3]);
  // Only those near the change count.
  const around = (line: string) => `${`${line}\n`.repeat(300)}once\n${line}\n${'same\n'.repeat(9)}once\n`;
  expect(unifiedDiff(around('old'), around('new')).match(/^ once$/gm)).toHaveLength(1);
});

test.each([
  ['a b c', 'c a b', '0:1 1:2', '0-0:0-1 2-3:3-3'],
  ['a b c d e f', 'd a e b f c', '3:0 4:2 5:4', '0-3:0-0 4-4:1-2 5-5:3-4 6-6:5-6'],
  ['a b c d e f', 'c b a f e d', '2:0 5:3', '0-2:0-0 3-5:1-3 6-6:4-6'],
  ['a b c d', 'x a b d c', '0:1 1:2 3:3', '0-0:0-1 2-3:3-3 4-4:4-5'],
  ['a b b b', 'b a', '0:1', '0-0:0-1 1-4:2-2'],
  ['a b', 'a a a b', '1:3', '1-1:1-3'],
  ['a a', 'a a a', '', '2-2:2-3'],
  ['a a a', 'a a', '', '2-3:2-2'],
  ['b b a b b', 'b c b a b', '2:3', '1-1:1-2 4-5:5-5'],
  ['b b', 'c c', '', '0-2:0-2'],
])('the lines %j and %j are the same at %j, and change at %j', (before, after, places, changed) => {
  const [oldLines, newLines] = [before.split(' '), after.split(' ')];
  const anchors = commonUniqueLines(oldLines, newLines);
  expect(anchors.map(({ oldIndex, newIndex }) => `${oldIndex}:${newIndex}`).join(' ')).toBe(places);
  const changes = changesBetween(anchors, oldLines, newLines);
  const shown = changes.map((at) => `${at.oldStart}-${at.oldEnd}:${at.newStart}-${at.newEnd}`);
  expect(shown.join(' ')).toBe(changed);
});

test('of equal lines, the one that is known to be the same counts', () => {
  const added = changesBetween([{ oldIndex: 0, newIndex: 1 }], ['a'], ['a', 'a']);
  expect(added).toEqual([{ oldStart: 0, oldEnd: 0, newStart: 0, newEnd: 1 }]);
  const removed = changesBetween([{ oldIndex: 1, newIndex: 0 }], ['a', 'a'], ['a']);
  expect(removed).toEqual([{ oldStart: 0, oldEnd: 1, newStart: 0, newEnd: 0 }]);
});

test('changes beyond the limits that are apart are hunks of their own', () => {
  const filler = numbered(20);
  const distinct = (name: string) => Array.from({ length: 600 }, (_, line) => `${name} ${line}\n`).join('');
  const before = distinct('a') + filler + distinct('b') + filler.replaceAll('1', 'one') + distinct('c');
  const after = distinct('x') + filler + distinct('b') + filler.replaceAll('1', 'one') + distinct('z');
  const diff = unifiedDiff(before, after);
  expect(applied(before, diff)).toBe(after);
  expect(diff.match(/^@@.*/gm)).toEqual(['@@ -1,603 +1,603 @@', '@@ -1238,603 +1238,603 @@']);
});

test('whatever changes in a long text, the diff leads to the new one', () => {
  const line = fc.constantFrom('a', 'b', '', 'unique 1', 'unique 2', 'unique 3');
  const lines = fc.array(line, { maxLength: 30 }).map((all) => all.map((text) => `${text}\n`).join(''));
  const rewritten = (name: string) =>
    Array.from({ length: 520 }, (_, index) => `${name} ${index}\n`).join('');
  fc.assert(
    fc.property(lines, lines, lines, lines, (start, before, after, end) => {
      const oldText = before + start + rewritten('old') + end + after;
      const newText = after + start + rewritten('new') + end + before;
      expect(applied(oldText, unifiedDiff(oldText, newText))).toBe(newText);
    }),
    { numRuns: 12 },
  );
});

test('a small change of 200,000 lines shows its lines only', () => {
  const before = 'line\n'.repeat(200_000);
  expect(unifiedDiff(before, `${before}more\n`)).toBe(
    '@@ -199998,3 +199998,4 @@\n line\n line\n line\n+more',
  );
  expect(unifiedDiff(`old\n${before}`, `new\n${before}`)).toBe(
    '@@ -1,4 +1,4 @@\n-old\n+new\n line\n line\n line',
  );
});
