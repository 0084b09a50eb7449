import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../../src/render/unified-diff.ts';

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
  ['equal texts', 'a\n', 'a\n', ''],
])('shows %s', (_, before, after, expected) => {
  expect(unifiedDiff(before, after).split('\n')).toEqual(expected.split('|'));
});

test('two distant edits of one line each are two hunks', () => {
  expect(unifiedDiff(numbered(300), numbered(300, { 8: 'eight', 293: 'last' })).split('\n')).toEqual(
    '@@ -5,7 +5,7 @@| 5| 6| 7|-8|+eight| 9| 10| 11|@@ -290,7 +290,7 @@| 290| 291| 292|-293|+last| 294| 295| 296'.split(
      '|',
    ),
  );
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

test('a change beyond the limits is one hunk', () => {
  const head = numbered(10);
  for (const count of [400, 30_000]) {
    const before = head + 'old\n'.repeat(count) + head;
    const after = head + Array.from({ length: count }, (_, line) => `new ${line}\n`).join('') + head;
    const diff = unifiedDiff(before, after);
    expect(diff.split('\n', 5)).toEqual([`@@ -8,${count + 6} +8,${count + 6} @@`, ' 8', ' 9', ' 10', '-old']);
    expect(diff.match(/^@@/gm)).toHaveLength(1);
    expect(applied(before, diff)).toBe(after);
  }
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
