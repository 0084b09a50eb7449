import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
