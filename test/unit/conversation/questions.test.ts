import { expect, test } from 'vitest';
import { openQuestions } from '../../../src/core/conversation/questions.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import { emptyConversation, foldUpdate, foldUpdates } from '../../support/fold-any.ts';
import { says } from '../../support/updates.ts';

const call = (toolCallId: string, title: string): AnyUpdate => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  title,
});
const permission = { title: 'May I?', description: null, options: [] };
const asks = (toolCallId: string, asked = permission): AnyUpdate => ({
  sessionUpdate: 'permission_update',
  toolCallId,
  permission: asked,
});
const settles = (toolCallId: string, ended?: typeof permission): AnyUpdate => ({
  sessionUpdate: 'permission_update',
  toolCallId,
  permission: null,
  ...(ended && { ended }),
});
const calls = foldUpdates(emptyConversation('s'), [
  says('I ask.'),
  call('a', 'A'),
  call('b', 'B'),
  call('c', 'C'),
]);

test('the open questions are the permissions with their tool calls, in the order of the transcript', () => {
  const asked = foldUpdates(calls, [asks('c'), asks('a')]);
  expect(openQuestions(asked)).toEqual([
    { permission, toolCall: expect.objectContaining({ title: 'A' }) },
    { permission, toolCall: expect.objectContaining({ title: 'C' }) },
  ]);
  expect(openQuestions(foldUpdate(asked, settles('a'))).map(({ toolCall }) => toolCall.title)).toEqual(['C']);
  expect(openQuestions(foldUpdate(asked, settles('c'))).map(({ toolCall }) => toolCall.title)).toEqual(['A']);
});

test('the open questions are the same list until one of them changes', () => {
  const asked = foldUpdates(calls, [asks('a'), asks('c')]);
  expect(openQuestions(foldUpdate(asked, call('b', 'Other')))).toBe(openQuestions(asked));
  expect(openQuestions(calls)).toEqual([]);
  expect(openQuestions(calls)).toBe(openQuestions(foldUpdate(calls, call('b', 'Other'))));
  const next = foldUpdate(asked, call('c', 'Other'));
  expect(openQuestions(next)).not.toBe(openQuestions(asked));
  expect(openQuestions(next)).toHaveLength(2);
});

test('of the questions about calls with one id, the one that has its answer ends', () => {
  const other = { ...permission, title: 'And I?' };
  const asked = foldUpdates(calls, [asks('a'), asks('a', other)]);
  const left = (update: AnyUpdate) =>
    openQuestions(foldUpdate(asked, update)).map((question) => question.permission.title);
  expect(left(settles('a', other))).toEqual(['May I?']);
  expect(left(settles('a', permission))).toEqual(['And I?']);
  expect(left(settles('a'))).toEqual(['And I?']);
});
