import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolCallIdOf } from '../../../src/tools/tool-call-id.ts';
import { root } from './pages.ts';
import { tagsOf } from './tagged-tests.ts';

interface Habit {
  readonly id: string;
  readonly title: string;
  readonly client: string;
}

// By its address: the compiler does not read the agents suite, which is JavaScript and imports the build.
const list: { readonly habits: readonly Habit[] } = await import(
  new URL('../../agents/habit-list.mjs', import.meta.url).href
);

test('each habit of an agent has a test, and each such test its habit', () => {
  expect(list.habits.length).toBeGreaterThan(30);
  expect(list.habits.map(({ id }) => id).sort()).toEqual(tagsOf('agents'));
});

test('the page about agents lists each habit', () => {
  const page = readFileSync(join(root, 'docs/agents.md'), 'utf8');
  const rows = page.split('\n').filter((line) => / \| `[\w-]+` \|$/.test(line));
  const shown = rows.map((row) => row.replace(/ \| [^|]* \| (`[\w-]+`) \|$/, ' | $1 |'));
  expect(shown).toEqual(list.habits.map(({ id, title, client }) => `| ${title} | ${client} | \`${id}\` |`));
});

/** The cells of a row of the table of steps, by the agent and the version of the protocol. */
function stepCells(title: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(root, 'docs/agents.md'), 'utf8').split('\n');
  const cells = (start: string) =>
    (lines.find((line) => line.startsWith(start)) ?? '')
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim());
  const columns = cells('|  | codex v1 |');
  return new Map(cells(`| ${title} |`).map((cell, index) => [columns[index] ?? '', cell]));
}

test('the page says the way to the tools of an editor for the agents that must have them', () => {
  const cells = stepCells('a tool of the editor');
  const agents = ['claude v1', 'claude v2', 'codex v1', 'codex v2', 'codex-zed v1', 'opencode v1', 'qwen v1'];
  for (const agent of [...agents, 'gemini v1']) {
    expect([agent, cells.get(agent)]).toEqual([
      agent,
      expect.stringMatching(/^(yes|varies), (acp|http|stdio)$/),
    ]);
  }
});

test('a key on the page that names the tool call is one that the library reads', () => {
  const named = [...stepCells('its call is named in `_meta` by').values()].filter((cell) =>
    cell.startsWith('`'),
  );
  expect(named.length).toBeGreaterThan(3);
  for (const cell of named) expect(toolCallIdOf({ [cell.slice(1, -1)]: 'id' })).toBe('id');
});
