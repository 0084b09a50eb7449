import { describe, expect, test } from 'vitest';
import { fitTable } from '../../../src/programs/cli/print.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { demoAgent, runHere, smallAgent } from './command-line.ts';
import { startCommandInTerminal } from './real-terminal.ts';

const wordsOf = (lines: readonly string[]) =>
  lines
    .join('\n')
    .split(/[\s·]+/)
    .filter(Boolean)
    .sort();

describe.skipIf(process.platform === 'win32')('in a terminal', () => {
  describe.each([40, 100])('of %i columns', (columns) => {
    test.each([
      { args: ['--help'] },
      { args: ['prompt', '--help'] },
      { args: ['inspect', ...smallAgent('offers-logins')] },
      { args: ['sessions', ...smallAgent('lists-long-titles')] },
    ])('$args.0 $args.1 fits, and no word is broken', async ({ args }) => {
      const terminal = await startCommandInTerminal(args, columns);
      expect(await terminal.ended).toBe(0);
      // A word that is longer than the terminal stays whole.
      expect(terminal.brokenLines()).toEqual([]);
      expect(wordsOf(terminal.lines())).toEqual(wordsOf([(await runHere(args)).stdout]));
    });

    test.each([
      { args: ['transcript', 's', ...smallAgent('bare')], code: 3, says: /Nothing\swas\ssent/ },
      { args: ['prompt', 'x', '--frmat', 'json'], code: 2, says: /no\soption\s--frmat/ },
      { args: ['doctor', ...smallAgent('crash-at-start')], code: 5, says: /There is no model here/ },
    ])('the errors of $args.0 fit', async ({ args, code, says }) => {
      const terminal = await startCommandInTerminal(args, columns);
      expect(await terminal.ended).toBe(code);
      expect(terminal.screen()).toMatch(says);
      expect(terminal.brokenLines()).toEqual([]);
    });

    test('a transcript fits, apart from code', async () => {
      const args = ['transcript', 'example-leap-day', ...(await demoAgent('v2-baseline', temporaryFolder()))];
      const terminal = await startCommandInTerminal(args, columns);
      expect(await terminal.ended).toBe(0);
      expect(terminal.brokenLines().filter((line) => !line.startsWith('    '))).toEqual([]);
      expect(wordsOf(terminal.lines())).toEqual(wordsOf([(await runHere(args)).stdout]));
    });
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
