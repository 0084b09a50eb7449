import { expect, test } from 'vitest';
import { emptyConversation, foldUpdate } from '../../support/fold-any.ts';

test('the end of a permission request does not add an unknown tool call', () => {
  const empty = emptyConversation('s1');
  const end = { sessionUpdate: 'permission_update', toolCallId: 't1', permission: null } as const;
  expect(foldUpdate(empty, end)).toBe(empty);
});
