import fc from 'fast-check';
import { test } from 'vitest';
import { nothingActs } from './markdown.ts';

test('no text acts in a Markdown viewer that renders HTML', () => {
  fc.assert(nothingActs, { numRuns: 150 });
});
