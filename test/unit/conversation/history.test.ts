import { describe, expect, test } from 'vitest';
import { newHistory } from '../../../src/conversation/history.ts';
import type { AnyUpdate } from '../../../src/model/client-update.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

const says = (text: string): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
});
const asks = (text: string): AnyUpdate => ({
  sessionUpdate: 'user_message_chunk',
  content: { type: 'text', text },
});
const shows = (data: string): AnyUpdate => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'image', mimeType: 'image/png', data },
});
const calls = (toolCallId: string): AnyUpdate => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: toolCallId,
});
const conversationOf = (...updates: AnyUpdate[]) => foldUpdates(emptyConversation('s1'), updates);

describe('the new entries of a replay', () => {
  const newEntries = (shown: AnyUpdate[], replayed: AnyUpdate[]) => {
    const before = conversationOf(...shown);
    return newHistory(before, before, conversationOf(...replayed)).entries.map((entry) =>
      entry.kind === 'toolCall' ? entry.toolCallId : entry.kind === 'message' ? entry.content : entry.kind,
    );
  };

  test('follow the last one that the conversation has, also if tool calls come in another order', () => {
    const shown = [calls('t0'), says('Yes.'), calls('t1')];
    expect(newEntries(shown, [calls('t1'), calls('t0'), says('Yes.')])).toEqual([
      [{ type: 'text', text: 'Yes.' }],
    ]);
  });

  test('include a text that replaces an entry without text', () => {
    const shown = [asks('Draw.'), shows('AAAA')];
    expect(newEntries(shown, [asks('Draw.'), says('Here.')])).toEqual([[{ type: 'text', text: 'Here.' }]]);
  });

  test('do not include a message without text that the conversation has', () => {
    const shown = [asks('Draw.'), shows('AAAA')];
    expect(newEntries(shown, [asks('Draw.'), shows('AAAA'), calls('t1')])).toEqual(['t1']);
  });

  test('do not include the whole of a message that was cut off', () => {
    const shown = [asks('Draw.'), says('He')];
    expect(newEntries(shown, [asks('Draw.'), says('Here.'), calls('t1')])).toEqual(['t1']);
  });
});

test('a tool call that works again is cancelled with the turn that it works in', () => {
  const status = (status: string): AnyUpdate => ({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't1',
    status,
  });
  const turn = [calls('t1'), status('completed'), calls('t2'), { sessionUpdate: 'unfinished_cancelled' }];
  const { entries } = conversationOf(...(turn as AnyUpdate[]), status('in_progress'), {
    sessionUpdate: 'unfinished_cancelled',
  });
  expect(entries).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
});
