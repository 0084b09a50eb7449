import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

interface Habit {
  readonly id: string;
  readonly title: string;
  readonly client: string;
  readonly file: string;
  readonly test: string;
}

// By its address: the suite is JavaScript, and what it imports of the build is looked at only by itself.
const list: { readonly habits: readonly Habit[] } = await import(
  new URL('../agents/habit-list.mjs', import.meta.url).href
);

test('every habit that the page of agents names is pinned by the case that it names', async () => {
  expect(list.habits.length).toBeGreaterThan(30);
  const missing: string[] = [];
  for (const { id, file, test: title } of list.habits) {
    const source = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
    if (!source.includes(`'${title}'`)) missing.push(`${id}: ${file} has no case ${title}`);
  }
  expect(missing).toEqual([]);
});

test('the page shows every habit as it is listed, and no other', async () => {
  const source = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
  const rows = source.split('\n').filter((line) => line.includes('](../test/'));
  const shown = rows.map((row) => row.split(' | ').slice(0, 2).join(' | '));
  expect(shown).toEqual(list.habits.map(({ title, client }) => `| ${title} | ${client}`));
});
