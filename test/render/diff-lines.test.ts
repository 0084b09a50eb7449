import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from '../../src/render/diff-lines.ts';

test.each([
  [
    'a change in the middle',
    '1\n2\n3\n4\n5\n6\n7\n8\n9\n',
    '1\n2\n3\n4\nfive\n6\n7\n8\n9\n',
    '@@ line 2 @@| 2| 3| 4|-5|+five| 6| 7| 8',
  ],
  ['a new file', '', 'a\nb\n', '@@ line 1 @@|+a|+b'],
  ['a file emptied', 'a\nb\n', '', '@@ line 1 @@|-a|-b'],
  ['a line at the end', 'a\n', 'a\nb\n', '@@ line 1 @@| a|+b'],
  ['a line at the start', 'b\n', 'a\nb\n', '@@ line 1 @@|+a| b'],
  ['a line repeated', 'a\na\n', 'a\na\na\n', '@@ line 1 @@| a| a|+a'],
  ['a line feed at the end', 'a', 'a\n', '@@ line 1 @@|-a|+a'],
  ['nothing', 'a\n', 'a\n', '@@ line 1 @@| a'],
])('%s', (_, before, after, expected) => {
  expect(diffLines(before, after).split('\n')).toEqual(expected.split('|'));
});

test('what is removed and added is the difference', () => {
  const lines = fc
    .array(fc.constantFrom('a', 'b', 'c', ''))
    .map((all) => all.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const [head = '', ...rows] = diffLines(before, after).split('\n');
      const start = Number(/\d+/.exec(head)?.[0]) - 1;
      const side = (mark: string) =>
        rows.filter((row) => row[0] === ' ' || row[0] === mark).map((row) => row.slice(1));
      const replaced = before.split('\n');
      replaced.splice(start, side('-').length, ...side('+'));
      expect(replaced.join('\n')).toBe(after);
    }),
  );
});

test('a text of 200,000 lines is no trouble', () => {
  const before = 'line\n'.repeat(200_000);
  expect(diffLines(before, `${before}more\n`)).toBe('@@ line 199998 @@\n line\n line\n line\n+more');
});
