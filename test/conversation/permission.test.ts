import { expect, test } from 'vitest';
import { emptyConversation, foldUpdate } from '../../src/conversation/fold.ts';

test('the end of a question about a tool call that is not there begins none', () => {
  const empty = emptyConversation('s1');
  const end = { sessionUpdate: 'permission_update', toolCallId: 't1', permission: null } as const;
  expect(foldUpdate(empty, end)).toBe(empty);
});
