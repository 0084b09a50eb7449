import { describe, expect, test } from 'vitest';
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

describe('[reliability: limit-parts] a message has at most 2 million', () => {
  const parts = { objects: '{}', arrays: '[]', texts: '"a"', 'texts with escapes': '"\\\\\\"[{"' };

  test.each(Object.entries(parts))('%s', (_, part) => {
    expect(parseMessage(`[${`${part},`.repeat(maxParts - 1)}${part}]`)).toBe('crowded');
  });

  test('parts of all kinds, each of which counts once', () => {
    const all = Object.values(parts);
    const rest = all.slice(1).join();
    const message = `[${`${all},`.repeat(maxParts / all.length - 1)}${rest}]`;
    expect(parseMessage(message)).toHaveLength(maxParts - 1);
    expect(parseMessage(message.replace('[', '[{},'))).toBe('crowded');
  });
});

test('numbers, and what looks like JSON in a text, are not counted', () => {
  expect(parseMessage(`[0${',0'.repeat(maxParts)}]`)).toHaveLength(maxParts + 1);
  expect(parseMessage(`["${'[{'.repeat(maxParts)}"]`)).toHaveLength(1);
  expect(parseMessage(`["${'[\\"'.repeat(maxParts)}"]`)).toHaveLength(1);
  expect(parseMessage(`{"${'['.repeat(maxParts + 1)}`)).toBe('noise');
});
