import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { entries, root } from './entries.ts';
import { hiddenTypes, namesOf } from './public-types.ts';

const main = 'acp-client-sdk';
const conversation = `${main}/conversation`;
const schemas = Object.keys(entries).filter((entry) => entry.includes('/schema/'));

/**
 * Where a program that uses an entry finds the types of its signatures. A page that draws a conversation needs
 * `/conversation` only. `/node`, `/testing`, `/vscode` and the schemas are used beside the main entry.
 */
const sources: Readonly<Record<string, readonly string[]>> = {
  [main]: [main, ...schemas],
  [conversation]: [conversation],
  [`${main}/node`]: [`${main}/node`, main],
  [`${main}/panel`]: [`${main}/panel`, main, conversation, ...schemas],
  [`${main}/testing`]: [`${main}/testing`, main],
  [`${main}/tools`]: [`${main}/tools`, main],
  [`${main}/vscode`]: [`${main}/vscode`, `${main}/panel`, main, conversation, ...schemas],
  ...Object.fromEntries(schemas.map((schema) => [schema, [schema, main]])),
};

test.each(Object.keys(entries))('every type of a signature of %s can be imported', (entry) => {
  const names = namesOf(entry);
  expect(names.size).toBeGreaterThan(15);
  expect(hiddenTypes(entry, sources[entry] ?? [])).toEqual([]);
});

// The names of the schemas are those of the protocol. Both versions and the main entry have one `Annotations` each.
const own = Object.keys(entries).filter((entry) => !schemas.includes(entry));
const pairs = own.flatMap((entry, index) => own.slice(index + 1).map((other) => [entry, other] as const));

test.each(pairs)('%s and %s have no name with two meanings', (entry, other) => {
  const others = namesOf(other);
  const shared = [...namesOf(entry)].filter(([name]) => others.has(name));
  expect(shared.filter(([name, symbol]) => others.get(name) !== symbol).map(([name]) => name)).toEqual([]);
});

test('only the main entry and /conversation share names, and only types', () => {
  const shared = pairs.flatMap(([entry, other]) => {
    const others = namesOf(other);
    return [...namesOf(entry)]
      .filter(([name]) => others.has(name))
      .map(([name, symbol]) => ({ name, symbol, entries: `${entry}, ${other}` }));
  });
  expect(shared.length).toBeGreaterThan(50);
  expect(new Set(shared.map(({ entries }) => entries))).toEqual(new Set([`${main}, ${conversation}`]));
  expect(shared.filter(({ symbol }) => symbol.valueDeclaration).map(({ name }) => name)).toEqual([]);
});

test('no public type is any', () => {
  const names = readdirSync(`${root}/dist`).filter((name) => name.endsWith('.d.ts'));
  expect(names.length).toBeGreaterThan(Object.keys(entries).length);
  for (const name of names) {
    const declarations = readFileSync(`${root}/dist/${name}`, 'utf8');
    const code = declarations.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'[^'\n]*'|"[^"\n]*"/g, '');
    expect(code.match(/.*\bany\b.*/g), name).toBeNull();
  }
});
