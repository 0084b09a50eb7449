import fc from 'fast-check';
import { test } from 'vitest';
import { checkGenerated, generatedTurn } from '../../support/generated-turns.ts';

test('10,000 generated turns are for AI SDK what their conversations are', async () => {
  await fc.assert(fc.asyncProperty(generatedTurn, checkGenerated), { numRuns: 10_000 });
}, 900_000);
