import { expect, test } from 'vitest';
import { shorten } from '../../../src/trace/shorten.ts';

test('what has no long text is the very same', () => {
  const message = { a: ['x'.repeat(10), 1, null, { b: true }] };
  expect(shorten(message, 10)).toBe(message);
  expect(shorten({ a: 'x'.repeat(9_999_999) }, Number.POSITIVE_INFINITY)).toHaveProperty(
    'a',
    'x'.repeat(9_999_999),
  );
});

test('only the long texts change, and the message itself does not', () => {
  const message = { a: ['short', 'x'.repeat(11)], b: { c: 'kept' } };
  const before = structuredClone(message);
  const shortened = shorten(message, 10) as typeof message;
  expect(shortened).toEqual({
    a: ['short', `${'x'.repeat(10)}… [1 more characters were left out of this trace]`],
    b: { c: 'kept' },
  });
  expect(shortened.b).toBe(message.b);
  expect(message).toEqual(before);
});

test('a character of two halves is not cut in the middle', () => {
  expect(shorten(`${'x'.repeat(9)}😀`, 10)).toBe(
    `${'x'.repeat(9)}… [2 more characters were left out of this trace]`,
  );
});
