import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { emptyConversation, foldUpdates } from '../../../src/core/conversation/fold.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { ConversationUpdate } from '../../../src/core/model/update.ts';
import { says } from '../../support/updates.ts';

const said = (text: string, _meta?: JsonObject, messageId?: string): ConversationUpdate => ({
  ...says(text, messageId),
  ...(_meta && { _meta }),
});

function messages(...updates: readonly ConversationUpdate[]) {
  return foldUpdates(emptyConversation('s'), updates).entries.map((entry) =>
    entry.kind === 'message' ? [textOf(entry), entry.meta] : entry.kind,
  );
}

test('the words of a subagent that a chunk names are a message of their own', () => {
  const subagent = { parentToolCallId: 't1', subagentType: 'general' };
  expect(
    messages(
      said('The '),
      said('answer.'),
      said('Words ', subagent),
      said('of it.', subagent),
      said('Done.'),
    ),
  ).toEqual([
    ['The answer.', null],
    ['Words of it.', subagent],
    ['Done.', null],
  ]);
  expect(messages(said('a', { parentToolCallId: 't1' }), said('b', { parentToolCallId: 't2' }))).toHaveLength(
    2,
  );
});

test('a chunk that answers another prompt begins a message, and one that names none continues', () => {
  expect(
    messages(
      said('a', { promptId: 'p1' }),
      said('b', { promptId: 'p1' }),
      said('c'),
      said('d', { promptId: 'p2' }),
    ),
  ).toEqual([
    ['abc', { promptId: 'p1' }],
    ['d', { promptId: 'p2' }],
  ]);
});

test('other metadata does not separate, and the metadata of the first chunk is that of the message', () => {
  const usage = { usage: { totalTokens: 7 } };
  expect(messages(said('a'), said('b', usage))).toEqual([['ab', null]]);
  expect(messages(said('a', usage), said('b', { durationMs: 3 }))).toEqual([['ab', usage]]);
});

test('an id says more than the metadata', () => {
  expect(messages(said('a', undefined, 'm'), said('b', { parentToolCallId: 't1' }, 'm'))).toEqual([
    ['ab', null],
  ]);
});
