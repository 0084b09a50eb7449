import fc from 'fast-check';
import { test } from 'vitest';
import { checkGenerated, generatedTurn } from '../support/generated-turns.ts';

test('[bridges: generated] a generated turn is for AI SDK what its conversation is', async () => {
  await fc.assert(fc.asyncProperty(generatedTurn, checkGenerated), { numRuns: 15 });
});
