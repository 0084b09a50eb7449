import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { pages, root } from './pages.ts';
import { comment, entries, exportsOf } from './public-names.ts';

/** Decisions are not changed later. */
const written = pages.filter((page) => !page.startsWith('docs/decisions/'));

/** The prose of a page: without code, comments and the targets of links. */
const proseOf = (page: string) =>
  readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```|`[^`\n]*`|<!--[\s\S]*?-->|\]\([^)]*\)/g, '');

const folder = /\bfolders?\b/i;

/** Phrases that a reader has to read twice, with a plain one. */
const phrases: readonly (readonly [pattern: RegExp, plain: string])[] = [
  [/\b[Ww]ho has\b(?<!\b[Aa]nyone who has)/, 'anyone who has'],
  [/\b(?:[Ww]hoever|[Nn]obody|[Ss]omebody)\b/, 'the user, no program'],
  [/\bof its own accord\b/, 'by itself'],
  [/\bis told\b/, 'gets'],
  [/\b(?:for ever|without a word)\b/, 'without end, silently'],
  [/\bin the place of\b/, 'instead of'],
  [/\b[Nn]o rest\b/, 'nothing is left'],
  [/\bto be had\b/, 'available'],
  [/\b[Aa]ll of what\b/, 'everything that'],
  [/\bis named as such\b/, 'is reported as'],
];

test.each(written)('%s says directory, as the protocol does', (page) => {
  const lines = proseOf(page).split('\n');
  expect(lines.filter((line) => folder.test(line))).toEqual([]);
});

/** A sentence of a page that does not name its subject. */
const unnamed = /(?:^|[.:|*] +)What (?:is|was) (?:right|wrong|needed|shown|absent|left|refused|fails)\b/m;

test.each(written)('the sentences of %s are plain', (page) => {
  const prose = proseOf(page);
  const found = [...phrases, [unnamed, 'name the subject'] as const].flatMap(([pattern, plain]) => {
    const match = pattern.exec(prose);
    return match === null ? [] : [`${match[0]} (${plain})`];
  });
  expect(found).toEqual([]);
});

describe('public comments', () => {
  const symbols = entries.flatMap((entry) => exportsOf(entry));
  const all = symbols.flatMap((symbol) => [symbol, ...(symbol.members?.values() ?? [])]);
  const texts = all.map((symbol) =>
    `${comment(symbol)} ${ts.displayPartsToString(symbol.getJsDocTags().flatMap(({ text = [] }) => text))}`.replace(
      /`[^`]*`/g,
      '',
    ),
  );

  test('are found', () => {
    expect(texts.length).toBeGreaterThan(500);
  });

  test('say directory', () => {
    expect(texts.filter((text) => folder.test(text))).toEqual([]);
  });

  test('have plain sentences', () => {
    expect(texts.filter((text) => phrases.some(([pattern]) => pattern.test(text)))).toEqual([]);
  });
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
