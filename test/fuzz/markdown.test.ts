import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../support/runs.ts';
import { nothingActs } from './markdown.ts';

test('no text acts in a Markdown viewer that renders HTML', () => {
  fc.assert(nothingActs, { numRuns: runs(150) });
});
