import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { root } from './pages.ts';
import { checker, entries, exportsOf } from './public-names.ts';

const page = readFileSync(join(root, 'docs/migration.md'), 'utf8');
const [, section = ''] = page.split(/^## From a version before 1\.0$/m);
const [renamed = '', removed = '', changed = ''] = section.split(/^These names .*:$/m);

const rowsOf = (table: string) =>
  [...table.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) => row.split(' | '));

/** The names in a cell: code, with "of" and the entry where another entry has the same name. */
const namesOf = (cell = '') =>
  [...cell.matchAll(/`([^`]+)`(?: of `([\w/-]+)`)?/g)].map(([, name = '', entry]) => ({ name, entry }));

interface Name {
  readonly name: string;
  readonly entry: string | undefined;
}

const typeOf = (symbol: ts.Symbol) =>
  symbol.flags & ts.SymbolFlags.Value && !(symbol.flags & ts.SymbolFlags.Class)
    ? checker.getTypeOfSymbol(symbol)
    : checker.getDeclaredTypeOfSymbol(symbol);

/** Whether a function takes these parameters: names, and objects with the names of their properties. */
function takes(type: ts.Type, written: string): boolean {
  const wanted = [...written.matchAll(/\{([^}]*)\}|\w+/g)];
  return type.getCallSignatures().some(
    ({ parameters }) =>
      parameters.length === wanted.length &&
      parameters.every((parameter, index) => {
        const [name = '', members] = wanted[index] ?? [];
        if (members === undefined) return parameter.name === name;
        const options = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
        return members.split(',').every((member) => options.getProperty(member.trim()));
      }),
  );
}

/** Whether the public declarations have the name: `Name`, `Type.member` or `call(parameter, { member })`. */
function isPublic({ name, entry = '' }: Name): boolean {
  const [, owner = '', member, parameters] = /^(\w+)(?:\.(\w+))?(?:\((.*)\))?$/.exec(name) ?? [];
  const found = entries
    .filter((path) => path.endsWith(entry))
    .flatMap((path) => exportsOf(path).filter((symbol) => symbol.name === owner));
  return found.some((symbol) => {
    if (member !== undefined) return typeOf(symbol).getProperty(member) !== undefined;
    return parameters === undefined || takes(typeOf(symbol), parameters);
  });
}

const rows = rowsOf(renamed);

describe('the table of the names before 1.0', () => {
  test('has the old names and as many new names in each row', () => {
    expect(rows.length).toBeGreaterThan(30);
    const uneven = rows.filter(([before, now]) => namesOf(before).length !== namesOf(now).length);
    expect(uneven).toEqual([]);
  });

  test('names what is public now', () => {
    const missing = rows.flatMap(([, now]) => namesOf(now)).filter((name) => !isPublic(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('has no old name that still exists', () => {
    const left = rows.flatMap(([before]) => namesOf(before)).filter(isPublic);
    expect(left.map(({ name }) => name)).toEqual([]);
  });

  test('has no name without a successor that still exists', () => {
    const names = rowsOf(removed).flatMap(([name]) => namesOf(name));
    expect(names.length).toBeGreaterThan(1);
    expect(names.filter(isPublic)).toEqual([]);
  });

  test('lists names with a new meaning that exist', () => {
    const names = rowsOf(changed).flatMap(([name]) => namesOf(name));
    expect(names.length).toBeGreaterThan(2);
    expect(names.filter((name) => !isPublic(name))).toEqual([]);
  });
});
