import { expect, test } from 'vitest';
import { maxDepth, maxParts, parseMessage } from '../../../src/transport/parse-message.ts';

const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

test.each([
  ['{"a":1}', { a: 1 }],
  [' \t[1]\r', [1]],
  ['\ufeff{"a":1}', { a: 1 }],
  ['', 'blank'],
  [' \r', 'blank'],
  ['42', 'noise'],
  ['"{"', 'noise'],
  ['null', 'noise'],
  ['{"a":', 'noise'],
  ['[1]]', 'noise'],
  ['Loading…', 'noise'],
])('%j is %j', (line, expected) => {
  expect(parseMessage(line)).toEqual(expected);
});

test('[reliability: limit-nesting] the deepest message taken can be cloned, frozen and written', () => {
  const message = parseMessage(nested(maxDepth));
  expect(typeof message).toBe('object');
  expect(structuredClone(message)).toEqual(message);
});

test.each([maxDepth + 1, 100_000, 500_000])('%i levels are too many', (levels) => {
  expect(parseMessage(nested(levels))).toBe('deep');
});

test.each([
  ['objects', '{}'],
  ['arrays', '[]'],
  ['texts', '"a"'],
  ['texts with escapes', '"\\\\\\"[{"'],
])('[reliability: limit-parts] a message has at most 2 million %s', (_, part) => {
  const message = (count: number) => `[${`${part},`.repeat(count - 2)}${part}]`;
  expect(parseMessage(message(maxParts))).toHaveLength(maxParts - 1);
  expect(parseMessage(message(maxParts + 1))).toBe('crowded');
});

test('numbers, and what looks like JSON in a text, are not counted', () => {
  expect(parseMessage(`[0${',0'.repeat(maxParts)}]`)).toHaveLength(maxParts + 1);
  expect(parseMessage(`["${'[{'.repeat(maxParts)}"]`)).toHaveLength(1);
  expect(parseMessage(`["${'[\\"'.repeat(maxParts)}"]`)).toHaveLength(1);
  expect(parseMessage(`{"${'['.repeat(maxParts + 1)}`)).toBe('noise');
});
