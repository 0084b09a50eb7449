import { expect, test } from 'vitest';

const { judged } = await import(new URL('../mutation/verdict.mjs', import.meta.url).href);

const file = 'src/sum.ts';
const source = 'const sum = (a: number, b: number) =>\n  a + b;\n';

const mutant = (replacement: string, status: string) => ({
  replacement,
  status,
  location: { start: { line: 2, column: 3 }, end: { line: 2, column: 8 } },
});
const reportOf = (...mutants: object[]) => ({ files: { [file]: { source, mutants } } });
const explained = { file, line: 'a + b;', original: 'a + b', replacement: 'b + a', reason: 'A sum.' };

test('a change that no test notices is listed with its place', () => {
  const { lines, isGood } = judged(reportOf(mutant('a - b', 'Survived'), mutant('a', 'Killed')), []);
  expect(isGood).toBe(false);
  expect(lines).toEqual([
    'src/sum.ts:2 Survived',
    '- a + b',
    '+ a - b',
    '1 changes are noticed, 0 are explained, 1 are neither.',
  ]);
});

test('an explained change is not listed', () => {
  const { lines, isGood } = judged(reportOf(mutant('b + a', 'NoCoverage')), [explained]);
  expect(isGood).toBe(true);
  expect(lines).toEqual(['0 changes are noticed, 1 are explained, 0 are neither.']);
});

test('an explanation whose change does not exist any more is an error, and so is one that a test notices', () => {
  const gone = judged(reportOf(mutant('a', 'Killed')), [explained]);
  expect(gone.isGood).toBe(false);
  expect(gone.lines[0]).toBe('src/sum.ts: the explained change does not exist any more: a + b;');
  const noticed = judged(reportOf(mutant('b + a', 'Killed')), [explained]);
  expect(noticed.isGood).toBe(false);
  expect(noticed.lines[0]).toBe('src/sum.ts:2 is explained, and a test notices it.');
});

test('an explanation of a file that was not changed stays', () => {
  const other = { ...explained, file: 'src/difference.ts' };
  expect(judged(reportOf(mutant('a', 'Killed')), [other]).isGood).toBe(true);
});
