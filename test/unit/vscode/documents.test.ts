import fc from 'fast-check';
import { expect, test } from 'vitest';
import { difference } from '../../../src/vscode/documents.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', '\n', '😀', '😃', '🀀', 'é'), { maxLength: 12 })
  .map((parts) => parts.join(''));

test('what differs between two texts gives the second one when it is replaced, and splits no character', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { start, end, replacement } = difference(before, after);
      expect(start).toBeLessThanOrEqual(end);
      expect(before.slice(0, start) + replacement + before.slice(end)).toBe(after);
      for (const part of [before.slice(0, start), before.slice(start, end), before.slice(end), replacement]) {
        expect(part).not.toMatch(/\p{Surrogate}/u);
      }
    }),
    { numRuns: 2000 },
  );
});

test('only what differs is replaced', () => {
  expect(difference('one\ntwo\nthree\n', 'one\nTWO\nthree\n')).toEqual({
    start: 4,
    end: 7,
    replacement: 'TWO',
  });
  expect(difference('same', 'same')).toEqual({ start: 4, end: 4, replacement: '' });
});
