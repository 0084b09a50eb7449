import { expect, test } from 'vitest';
import { clean, cleanLine, plainText } from '../../../src/core/render/clean.ts';
import { costText, countText, progressText, timeText } from '../../../src/core/render/facts.ts';

test.each<readonly [string, string]>([
  ['2026-03-01T10:30:00Z', '1 Mar 2026, 10:30 UTC'],
  ['2026-02-28T17:05:59.999Z', '28 Feb 2026, 17:05 UTC'],
  ['2026-01-01T00:30:00+02:00', '31 Dec 2025, 22:30 UTC'],
  ...[
    'yesterday',
    '-1',
    'yesterday at 5',
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-03-01T25:00:00Z',
    // The time zone of the machine would decide.
    '2026-03-01T10:30:00',
    '2026-03-01',
    'Mar 1 2026',
  ].map((text) => [text, text] as const),
  ['', ''],
])('the time %j is shown as %j', (iso, shown) => {
  expect(timeText(iso)).toBe(shown);
});

test.each([
  [0, '0'],
  [999, '999'],
  [53120, '53,120'],
  [1234567, '1,234,567'],
])('the count %d is shown as %j', (count, shown) => {
  expect(countText(count)).toBe(shown);
});

test.each([
  [0, '0 USD'],
  [0.0065551, '0.0066 USD'],
  [0.42, '0.42 USD'],
  [1, '1.00 USD'],
  [-12.345, '-12.35 USD'],
])('the amount %d is shown as %j', (amount, shown) => {
  expect(costText({ amount, currency: 'USD' })).toBe(shown);
});

test.each([
  [{ progress: 3, total: 10, message: 'Searching' }, 'Searching · 3 of 10'],
  [{ progress: 0.126, total: 1000 }, '0.13 of 1,000'],
  [{ progress: 0 }, '0'],
])('the progress %j is shown as %j', (progress, shown) => {
  expect(progressText(progress)).toBe(shown);
});

test('values on one line are text or JSON, without those that are absent', () => {
  expect(cleanLine('a', null, ' b\n\nc ', undefined, [1, null, { d: 2n }])).toBe(
    'a b c [ 1, null, { "d": "2" } ]',
  );
});

test('text is plain without escape sequences and invisible characters, and keeps its lines', () => {
  expect(plainText('\x1b[31ma\u200b\tb\u2028c\n')).toBe('a\tb\nc\n');
});

test('JSON of more than 100,000 characters is not indented', () => {
  const jsonOf = (length: number) => clean({ a: 'x'.repeat(length - 8) });
  expect(jsonOf(100_000)).toMatch(/^\{\n {2}"a": "x+"\n\}$/);
  expect(jsonOf(100_001)).toMatch(/^\{"a":"x+"\}$/);
});
