import { expect, test } from 'vitest';
import { InvalidParamsError } from '../../../src/base/errors.ts';
import { diffConversation } from '../../../src/conversation/diff.ts';
import { emptyConversation, foldUpdates } from '../../../src/conversation/fold.ts';
import { applyPatch, type ConversationPatch, type PatchOperation } from '../../../src/conversation/patch.ts';

const conversation = foldUpdates(emptyConversation('s1'), [
  { sessionUpdate: 'user_message', messageId: 'm1', content: [{ type: 'text', text: 'Hello.' }] },
  { sessionUpdate: 'agent_message', messageId: 'm2', content: [{ type: 'text', text: 'Hi.' }] },
  { sessionUpdate: 'terminal_output_chunk', terminalId: 't1', data: 'b2s=' },
]);

test.each<[string, PatchOperation]>([
  ['"entries/2"', { op: 'set', path: ['entries', 2], value: {} }],
  ['"entries/2"', { op: 'append', path: ['entries', 2, 'content', 0, 'text'], text: '' }],
  ['"entries/0/meta"', { op: 'append', path: ['entries', 0, 'meta'], text: 'x' }],
  ['"entries/1"', { op: 'splice', path: ['entries'], at: 1, remove: 2, insert: [] }],
  ['"activity"', { op: 'splice', path: ['activity'], at: 0, remove: 0, insert: [] }],
  ['"models"', { op: 'unset', path: ['models'] }],
  ['"terminals/t2"', { op: 'output', terminalId: 't2', remove: 0, data: '' }],
  ['"terminals/t1/bytes"', { op: 'output', terminalId: 't1', remove: 3, data: '' }],
  ['"terminals/t1/bytes"', { op: 'output', terminalId: 't1', remove: 0, data: '!' }],
])('a patch that does not fit is an error that names %s', (place, operation) => {
  const apply = () => applyPatch(conversation, [operation]);
  expect(apply).toThrow(InvalidParamsError);
  expect(apply).toThrow(place);
});

test('a patch of changes needs a conversation', () => {
  expect(() => applyPatch(undefined, [{ op: 'unset', path: ['models'] }])).toThrow(InvalidParamsError);
  expect(() => applyPatch(undefined, [])).toThrow('The patch does not fit the conversation');
});

test('an operation of a later version is an error that names it', () => {
  const patch = [{ op: 'toString', path: [] }] as unknown as ConversationPatch;
  expect(() => applyPatch(conversation, patch)).toThrow('an operation "toString" that this version');
});

test('an entry in a patch does not contain the fields that have their default value', () => {
  const patch = diffConversation(emptyConversation('s1'), conversation);
  const content = [{ type: 'text', text: 'Hello.' }];
  expect(patch[0]).toMatchObject({ op: 'splice', path: ['entries'], at: 0, remove: 0 });
  expect(patch[0]?.op === 'splice' && patch[0].insert[0]).toEqual({
    kind: 'message',
    key: 'user:m1',
    role: 'user',
    messageId: 'm1',
    content,
  });
});
