import fc from 'fast-check';
import { test } from 'vitest';
import type { AnyUpdate } from '../../src/core/model/client-update.ts';
import { agUiTurn, checkGeneratedAgUi } from '../support/ag-ui-turns.ts';
import { checkGenerated, generatedTurn } from '../support/generated-turns.ts';
import { said } from '../support/recorded-stores.ts';
import { runs } from '../support/runs.ts';

test('[bridges: generated] a generated turn is for AI SDK what its conversation is', async () => {
  await fc.assert(fc.asyncProperty(generatedTurn, checkGenerated), { numRuns: runs(15) });
});

test('the events of a generated turn, read by AG-UI, are the messages of the conversation after it', async () => {
  await fc.assert(fc.asyncProperty(agUiTurn, checkGeneratedAgUi), { numRuns: runs(25) });
});

const begin: AnyUpdate = {
  sessionUpdate: 'prompt_submitted',
  key: 'prompt:1',
  content: [{ type: 'text', text: 'Begin.' }],
};
const removed: AnyUpdate = { sessionUpdate: 'prompt_settled', key: 'prompt:1', accepted: false };
const printed: AnyUpdate = { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: 'YQ==' };
/** The reader then gets all messages again. */
const replaced = ['One.', 'Two.'].map((text): AnyUpdate => {
  return { sessionUpdate: 'agent_message', messageId: 'b', content: [{ type: 'text', text }] };
});

test.each<[string, readonly AnyUpdate[], readonly AnyUpdate[]]>([
  ['a message is removed', [begin], [removed]],
  ['a message is removed, and another one has its key', [begin], [removed, begin, ...replaced]],
  ['a message goes on', [said('agent', 'I begin.', 'a')], [said('agent', ' I end.', 'a'), ...replaced]],
  [
    'the command of a tool call prints more',
    [
      { sessionUpdate: 'tool_call', toolCallId: 't', content: [{ type: 'terminal', terminalId: 'x' }] },
      printed,
    ],
    [printed],
  ],
])('the reader has what the conversation has if of an earlier turn %s', async (_, before, during) => {
  await checkGeneratedAgUi([[...before, ...during], before.length]);
});
