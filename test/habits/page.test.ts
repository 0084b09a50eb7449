import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

interface Habit {
  readonly id: string;
  readonly file: string;
  readonly test: string;
}

// By its address: the suite is JavaScript, and what it imports of the build is looked at only by itself.
const page: { readonly habits: readonly Habit[] } = await import(
  new URL('../agents/habit-list.mjs', import.meta.url).href
);

test('every habit that the page of agents names is pinned by the case that it names', async () => {
  expect(page.habits.length).toBeGreaterThan(30);
  const missing: string[] = [];
  for (const { id, file, test: title } of page.habits) {
    const source = await readFile(new URL(`../${file}`, import.meta.url), 'utf8');
    if (!source.includes(`'${title}'`)) missing.push(`${id}: ${file} has no case ${title}`);
  }
  expect(missing).toEqual([]);
});
