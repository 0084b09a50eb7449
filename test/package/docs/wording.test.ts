import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { pages, root } from './pages.ts';
import { comment, entries, exportsOf } from './public-names.ts';

/** Decisions are not changed later. */
const written = pages.filter((page) => !page.startsWith('docs/decisions/'));

/** The prose of a page: without code, comments and the targets of links. */
const proseOf = (page: string) =>
  readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```|`[^`\n]*`|<!--[\s\S]*?-->|\]\([^)]*\)/g, '');

const folder = /\bfolders?\b/i;

test.each(written)('%s says directory, as the protocol does', (page) => {
  const lines = proseOf(page).split('\n');
  expect(lines.filter((line) => folder.test(line))).toEqual([]);
});

test('public comments say directory', () => {
  const symbols = entries.flatMap((entry) => exportsOf(entry));
  const all = symbols.flatMap((symbol) => [symbol, ...(symbol.members?.values() ?? [])]);
  const texts = all.map(
    (symbol) =>
      `${comment(symbol)} ${ts.displayPartsToString(symbol.getJsDocTags().flatMap(({ text = [] }) => text))}`,
  );
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.filter((text) => folder.test(text.replace(/`[^`]*`/g, '')))).toEqual([]);
});

test.each(written)('the headings of %s name their subject', (page) => {
  const headings = [
    ...readFileSync(join(root, page), 'utf8')
      .replace(/```[\s\S]*?```/g, '')
      .matchAll(/^#+ (.*)$/gm),
  ];
  expect(headings.map(([, title = '']) => title).filter((title) => /\b(?:it|them)\b/i.test(title))).toEqual(
    [],
  );
});
