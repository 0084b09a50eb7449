import { describe, expect, test } from 'vitest';
import { fitTable } from '../../../src/cli/print.ts';
import { smallAgent, startOnTerminal } from './command-line.ts';

/** Columns of a line, with two for each Japanese character. */
const columnsOf = (line: string) => line.replace(/[\u3000-\u9fff]/g, '  ').length;
const widest = (text: string) => Math.max(...text.split('\n').map(columnsOf));
const wordsOf = (text: string) => text.split(/[\s·]+/).sort();

describe.each([40, 80, 120])('on a terminal with %i columns', (columns) => {
  test.each([
    { args: ['--help'] },
    { args: ['help', 'prompt'] },
    { args: ['inspect', ...smallAgent('ordinary')] },
    { args: ['inspect', '--verbose', ...smallAgent('offers-logins')] },
    { args: ['inspect', '--open', ...smallAgent('has-settings')] },
    { args: ['sessions', ...smallAgent('lists-long-titles')] },
  ])('$args.0 $args.1 fits, and no word is broken', async ({ args }) => {
    const { code, stdout, stderr } = await startOnTerminal(args, columns).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(wordsOf(stdout)).toEqual(wordsOf((await startOnTerminal(args, 1000).ended).stdout));
    const tooWide = stdout.split('\n').filter((line) => columnsOf(line) > columns);
    // A word that is longer than the terminal stays whole.
    expect(tooWide.filter((line) => line.trim().includes(' '))).toEqual([]);
  });

  test('errors fit', async () => {
    const { code, stderr } = await startOnTerminal(['transcript', 's', ...smallAgent('bare')], columns).ended;
    expect(code).toBe(3);
    expect(stderr).toMatch(/Nothing\swas\ssent/);
    expect(widest(stderr)).toBeLessThanOrEqual(columns);
  });
});

test('a table that fits has columns, with two for wide characters', () => {
  const rows = [
    ['a', '茶', 'x'],
    ['bcd', 'e', 'y'],
  ];
  expect(fitTable(rows, 10)).toBe('a    茶  x\nbcd  e   y\n');
});

test('a table that does not fit has a paragraph for each row', () => {
  const rows = [
    ['  id-1', '', 'a title of words'],
    ['  id-2', 'old', 'title'],
  ];
  expect(fitTable(rows, 16)).toBe('  id-1\n    a title of\n    words\n  id-2\n    old · title\n');
  expect(fitTable([])).toBe('');
});
