import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as errors from '../../../src/core/base/errors.ts';
import { codeIn, rowsBelow } from './generated.ts';
import { root } from './pages.ts';

const page = 'docs/errors.md';
const sourceOf = (file: string) => readFileSync(join(root, 'src/core/base', file), 'utf8');

/** The texts that a type is one of, from its declaration. */
function textsOf(type: string, source: string): readonly string[] {
  const [, union = ''] = new RegExp(`^export type ${type} =\\n([^;]*);`, 'm').exec(source) ?? [];
  return [...union.matchAll(/^ {2}\| '(.*)'/gm)].map(([, text = '']) => text);
}

/** Each code with the class that has it. */
function classesByCode(source: string): readonly (readonly [code: string, name: string])[] {
  return [...source.matchAll(/readonly code(?:: AcpErrorCode)? = '([\w.]+)'/g)].map(
    ({ index, 1: code = '' }) => {
      const before = [...source.slice(0, index).matchAll(/class (\w+)/g)];
      return [code, before.at(-1)?.[1] ?? ''];
    },
  );
}

test('the table of codes has each error code with its class', () => {
  const source = sourceOf('errors.ts');
  const rows = rowsBelow(page, 'code', 'class', 'who must act');
  const shown = rows.map(([code, name]) => [codeIn(code), codeIn(name)]);
  expect(shown).toEqual(classesByCode(source));
  expect(shown.map(([code]) => code)).toEqual(textsOf('AcpErrorCode', source));
  for (const [, name = ''] of shown) expect(errors).toHaveProperty(name);
  expect(rows.filter((row) => row.includes(''))).toEqual([]);
});

test('the table of diagnostics has each rule', () => {
  const rules = textsOf('DiagnosticRule', sourceOf('diagnostic.ts'));
  const rows = rowsBelow(page, 'rule', 'what happened', 'what to do');
  expect(rules.length).toBeGreaterThan(30);
  expect(rows.map(([rule]) => codeIn(rule)).sort()).toEqual(rules.toSorted());
  expect(rows.filter((row) => row.includes(''))).toEqual([]);
});
