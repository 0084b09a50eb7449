import fc from 'fast-check';
import { test } from 'vitest';
import { agUiTurn, checkGeneratedAgUi } from '../support/ag-ui-turns.ts';

test('the events of a generated turn, read by AG-UI, are the messages of the conversation after it', async () => {
  await fc.assert(fc.asyncProperty(agUiTurn, checkGeneratedAgUi), { numRuns: 100 });
});
