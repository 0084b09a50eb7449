import { describe, expect, test } from 'vitest';
import type { FileChange, ToolCallDiff } from '../../../src/model/tool-call.ts';
import { diffLines } from '../../../src/render/diff-lines.ts';

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

/** A line of a diff in short: its numbers, what changed, and the text. */
const inShort = (diff: ToolCallDiff) =>
  diffLines(diff).map(({ path, lines }) => [
    path,
    ...lines.map(({ change, text, oldLine, newLine }) => `${oldLine} ${newLine} ${change} ${text}`),
  ]);

const lines = [
  'null null position @@ -1,3 +1,3 @@',
  '1 1 same a',
  '2 null removed b',
  'null 2 added c',
  '3 3 same d',
];
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
    expect(inShort(diff)).toEqual([['/p/a.ts', ...lines]]);
  });

  test('are with the file that they change, by the path or else by the order', () => {
    const section = (path: string, text: string) =>
      `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${text}\n+${text}!\n`;
    const both = section('src/b.ts', 'b') + section('src/a.ts', 'a');
    const shown = (text: string) => [
      'null null position @@ -1 +1 @@',
      `1 null removed ${text}`,
      `null 1 added ${text}!`,
    ];
    expect(inShort(patched(both, '/p/src/a.ts', 'C:\\p\\src\\b.ts'))).toEqual([
      ['/p/src/a.ts', ...shown('a')],
      ['C:\\p\\src\\b.ts', ...shown('b')],
    ]);
    expect(inShort(patched(both, '/p/one.ts', '/p/two.ts'))).toEqual([
      ['/p/one.ts', ...shown('b')],
      ['/p/two.ts', ...shown('a')],
    ]);
    expect(inShort(patched(both))).toEqual([
      ['src/b.ts', ...shown('b')],
      ['src/a.ts', ...shown('a')],
    ]);
  });

  test('of removed and added lines that look like a header are lines', () => {
    const diff = patched('--- a/a.sql\n+++ b/a.sql\n@@ -1 +1 @@\n--- old\n+++ new\n', '/p/a.sql');
    expect(inShort(diff)).toEqual([
      ['/p/a.sql', 'null null position @@ -1 +1 @@', '1 null removed -- old', 'null 1 added ++ new'],
    ]);
  });

  test('have no numbers where the hunk does not say where it is', () => {
    expect(inShort(patched('@@ def main\n a\n-b\n+c', '/p/a.py'))).toEqual([
      [
        '/p/a.py',
        'null null position @@ def main',
        'null null same a',
        'null null removed b',
        'null null added c',
      ],
    ]);
  });

  test('are notes where they are no lines of the file', () => {
    const text = `${hunk}\\ No newline at end of file\ndiff --git a/b.png b/b.png\nindex 1..2\nBinary files differ\n`;
    expect(inShort(patched(text, '/p/a.ts', '/p/b.png'))).toEqual([
      ['/p/a.ts', ...lines, 'null null note \\ No newline at end of file'],
      ['/p/b.png', 'null null note Binary files differ'],
    ]);
  });

  test('are empty for a file without text, such as one that was moved', () => {
    const moved: FileChange = { operation: 'move', path: '/p/b.ts', oldPath: '/p/a.ts' };
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
