import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './pages.ts';

// By their address: the compiler does not read the agents suite, which is JavaScript.
const suite = (file: string) => import(new URL(`../../agents/${file}`, import.meta.url).href);
const { pageDifferences } = await suite('page-comparison.mjs');
const { withKnownVariation } = await suite('variation.mjs');

const page = ['docs/agent-results.md', 'test/agents/results.md']
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('');

/** Changes the cell of a table: of the row that begins with `row`, in the column with this head. */
function withCell(row: string, column: string, cell: string): string {
  const lines = page.split('\n');
  const heads = lines.find((line) => line.startsWith('| ') && line.includes(`| ${column} |`)) ?? '';
  const index = heads.split(' | ').findIndex((head) => head.replace(' |', '') === column);
  return lines
    .map((line) => (line.startsWith(`| ${row} |`) ? line.split(' | ').with(index, cell).join(' | ') : line))
    .join('\n');
}

test('a run that gives the same page has no differences, an agent that is not on it has one', () => {
  expect(pageDifferences(page, page, ['sdk', 'opencode'])).toEqual([]);
  expect(pageDifferences(page, page, ['another'])).toEqual(['another is not on the page']);
});

test('a cell that differs is a difference, in the columns of the agents that were run only', () => {
  const changed = withCell('thoughts', 'sdk v2', 'no');
  expect(pageDifferences(page, changed, ['sdk'])).toEqual([
    'sdk v2: thoughts: the page has "yes", the run gives "no"',
  ]);
  expect(pageDifferences(page, changed, ['opencode'])).toEqual([]);
  expect(pageDifferences(page, withCell('a wrong token', 'qwen, HTTP', 'no'), ['qwen'])).toEqual([
    'qwen, HTTP: a wrong token: the page has "yes", the run gives "no"',
  ]);
});

test('a line that differs in the section of an agent is a difference', () => {
  const line = '- a file written: asks; done by the client.';
  const start = page.indexOf('\n### opencode\n');
  const changed =
    page.slice(0, start) + page.slice(start).replace(line, '- a file written: asks; done by the agent.');
  expect(pageDifferences(page, changed, ['opencode'])).toEqual([
    `opencode: the page has: ${line}`,
    'opencode: the run gives: - a file written: asks; done by the agent.',
  ]);
  expect(pageDifferences(page, changed, ['sdk'])).toEqual([]);
});

test('a habit that appears or disappears is a difference', () => {
  expect(pageDifferences(page, withCell('`no-message-ids`', 'sdk v1', ''), ['sdk'])).toEqual([
    'sdk v1: `no-message-ids`: the page has "yes", the run gives ""',
  ]);
  expect(pageDifferences(page, withCell('`no-message-ids`', 'sdk v2', 'yes'), ['sdk'])).toEqual([
    'sdk v2: `no-message-ids`: the page has "", the run gives "yes"',
  ]);
});

test('a known variation of an outcome or a habit gives the same report on each run, and another outcome stays', () => {
  const agent = {
    varies: [
      { version: 2, step: 'delete', outcomes: ['works', 'differs'], reason: 'a file is written again' },
      { version: 2, habit: 'late-tool-call', reason: 'a race' },
    ],
  };
  const reportOf = (outcome: string, habits: readonly string[]) => ({
    runs: { 2: { steps: { delete: { outcome, note: '' } }, habits } },
  });
  const first = withKnownVariation(agent, reportOf('works', ['late-tool-call', 'ids-overlap']));
  expect(first).toEqual(withKnownVariation(agent, reportOf('differs', ['ids-overlap'])));
  expect(first.runs[2]?.steps['delete']).toEqual({ outcome: 'varies', note: 'a file is written again' });
  expect(first.runs[2]?.habits).toEqual(['ids-overlap']);
  const other = withKnownVariation(agent, reportOf('refuses', []));
  expect(other.runs[2]?.steps['delete']?.outcome).toBe('refuses');
});
