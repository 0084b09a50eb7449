import { expect, test } from 'vitest';

const { judged } = await import(new URL('../mutation/verdict.mjs', import.meta.url).href);

const file = 'src/sum.ts';
const source = 'const sum = (a: number, b: number) =>\n  a + b;\n';

const change = (id: string, replacement: string) => ({
  id,
  file,
  source,
  replacement,
  location: { start: { line: 2, column: 3 }, end: { line: 2, column: 8 } },
});
const entry = { file, line: 'a + b;', original: 'a + b', replacement: 'b + a' };
const explained = { ...entry, reason: 'A sum.' };

test('a change that no test notices is listed with its place', () => {
  const changes = [change('0', 'a - b'), change('1', 'a')];
  const { lines, left, isGood } = judged(changes, new Set(['1']), []);
  expect(isGood).toBe(false);
  expect(left).toEqual([{ ...entry, replacement: 'a - b' }]);
  expect(lines).toEqual([
    'src/sum.ts:2',
    '- a + b',
    '+ a - b',
    '1 changes are noticed, 0 are explained, 1 are neither.',
  ]);
});

test('an explained change is not listed', () => {
  const { lines, left, isGood } = judged([change('0', 'b + a')], new Set(), [explained]);
  expect(isGood).toBe(true);
  expect(left).toEqual([]);
  expect(lines).toEqual(['0 changes are noticed, 1 are explained, 0 are neither.']);
});

test('an explanation whose change does not exist any more is an error, and so is one that a test notices', () => {
  const gone = judged([change('0', 'a')], new Set(['0']), [explained]);
  expect(gone.isGood).toBe(false);
  expect(gone.lines[0]).toBe('src/sum.ts: the explained change does not exist any more: a + b;');
  const noticed = judged([change('0', 'b + a')], new Set(['0']), [explained]);
  expect(noticed.isGood).toBe(false);
  expect(noticed.lines[0]).toBe('src/sum.ts:2 is explained, and a test notices it.');
});

test('an explanation counts for one of two changes of a line that look the same', () => {
  const changes = [change('0', 'b + a'), change('1', 'b + a')];
  expect(judged(changes, new Set(['0']), [explained]).isGood).toBe(true);
  expect(judged(changes, new Set(['0', '1']), [explained]).isGood).toBe(false);
});

test('an explanation of a file that was not changed stays', () => {
  const other = { ...explained, file: 'src/difference.ts' };
  expect(judged([change('0', 'a')], new Set(['0']), [other]).isGood).toBe(true);
});
