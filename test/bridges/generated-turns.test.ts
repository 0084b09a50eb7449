import fc from 'fast-check';
import { test } from 'vitest';
import { agUiTurn, checkGeneratedAgUi } from '../support/ag-ui-turns.ts';
import { checkGenerated, generatedTurn } from '../support/generated-turns.ts';
import { runs } from '../support/runs.ts';

test('[bridges: generated] a generated turn is for AI SDK what its conversation is', async () => {
  await fc.assert(fc.asyncProperty(generatedTurn, checkGenerated), { numRuns: runs(15) });
});

test('the events of a generated turn, read by AG-UI, are the messages of the conversation after it', async () => {
  await fc.assert(fc.asyncProperty(agUiTurn, checkGeneratedAgUi), { numRuns: runs(25) });
});

test('a message of an earlier turn that is removed is removed from the reader', async () => {
  const key = 'prompt:1';
  const content = [{ type: 'text', text: 'Begin.' } as const];
  await checkGeneratedAgUi([
    [
      { sessionUpdate: 'prompt_submitted', key, content },
      { sessionUpdate: 'prompt_settled', key, accepted: false },
    ],
    1,
  ]);
});
