import { describe, expect, test } from 'vitest';
import { changedEntries, findToolCall } from '../../../src/conversation/select.ts';
import type { AnyUpdate } from '../../../src/model/client-update.ts';
import type { Conversation, ToolCallEntry } from '../../../src/model/conversation.ts';
import type { ToolCallContent } from '../../../src/model/tool-call.ts';
import { toolOutput } from '../../../src/render/tool-output.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';

const text = { type: 'text' as const, text: 'done' };
const content: readonly ToolCallContent[] = [
  { type: 'content', content: text },
  { type: 'diff', changes: [{ operation: 'add', path: '/a', oldText: null, newText: 'a\n' }], patch: null },
  { type: 'terminal', terminalId: 't1' },
  { type: 'terminal', terminalId: '__proto__' },
  { type: 'session', sessionId: 'sub' },
  { type: '_chart', points: [1] },
];
const prints = (terminalId: string, output: string): AnyUpdate => ({
  sessionUpdate: 'terminal_output_chunk',
  terminalId,
  data: btoa(output),
});
const subagent = (sessionId: string, title: string): AnyUpdate => ({
  sessionUpdate: 'subagent_update',
  sessionId,
  title,
});
const conversation = foldUpdates(emptyConversation('s'), [
  { sessionUpdate: 'tool_call_update', toolCallId: 'call', content },
  { sessionUpdate: 'tool_call_update', toolCallId: 'other', title: 'Read' },
  prints('t1', 'one'),
  prints('t2', 'two'),
  subagent('sub', 'Research'),
  subagent('another', 'Tests'),
]);

const callOf = (conversation: Conversation) => findToolCall(conversation, 'call') as ToolCallEntry;
const outputOf = (conversation: Conversation) => toolOutput(conversation, callOf(conversation));
const folded = (...updates: AnyUpdate[]) => foldUpdates(conversation, updates);
const keysChanged = (next: Conversation) => changedEntries(conversation, next).map(({ key }) => key);

describe('the output of a tool call', () => {
  test('has the blocks, the lines of diffs, the terminals and the sessions in the order of the content', () => {
    expect(outputOf(conversation)).toEqual([
      { type: 'content', content: text },
      {
        type: 'diff',
        files: [
          {
            operation: 'add',
            path: '/a',
            oldPath: null,
            lines: [
              { change: 'position', text: '@@ -0,0 +1,1 @@', oldLine: null, newLine: null },
              { change: 'added', text: 'a', oldLine: null, newLine: 1 },
            ],
          },
        ],
      },
      { type: 'terminal', terminalId: 't1', terminal: conversation.terminals['t1'] },
      { type: 'terminal', terminalId: '__proto__', terminal: null },
      { type: 'session', sessionId: 'sub', subagent: conversation.subagents?.[0] },
      { type: 'unknown', content: content[5] },
    ]);
  });

  test.each([
    ['another terminal prints', prints('t2', '!')],
    ['another tool call changes', { sessionUpdate: 'tool_call_update', toolCallId: 'other', title: 'Write' }],
    ['another subagent changes', subagent('another', 'Docs')],
    [
      'only its status changes',
      { sessionUpdate: 'tool_call_update', toolCallId: 'call', status: 'completed' },
    ],
  ] satisfies [string, AnyUpdate][])('is the same list if %s', (_, update) => {
    expect(outputOf(folded(update))).toBe(outputOf(conversation));
  });

  test('is the same list in a mirror if another subagent changes', () => {
    const next = folded(subagent('another', 'Docs'));
    const mirrored = { ...conversation, subagents: structuredClone(next.subagents ?? []) };
    expect(outputOf(mirrored)).toBe(outputOf(conversation));
    expect(changedEntries(conversation, mirrored)).toEqual([]);
  });

  test.each([
    ['its terminal prints', prints('t1', '!'), 2],
    ['the terminal that it refers to appears', prints('__proto__', '!'), 3],
    ['its subagent changes', subagent('sub', 'Other'), 4],
  ] as const)('is another list if %s, and only that item is new', (_, update, changed) => {
    const before = outputOf(conversation);
    const next = outputOf(folded(update));
    expect(next).not.toBe(before);
    expect(next.map((item, index) => item === before[index])).toEqual(
      before.map((_, index) => index !== changed),
    );
  });
});

describe('the changed entries', () => {
  test.each([
    ['its terminal prints', prints('t1', '!')],
    ['the terminal that it refers to appears', prints('__proto__', '!')],
    ['its subagent changes', subagent('sub', 'Other')],
  ])('have the tool call if %s', (_, update) => {
    expect(keysChanged(folded(update))).toEqual(['tool:call']);
  });

  test.each([
    ['a terminal that no tool call refers to', prints('t2', '!')],
    ['a subagent that no tool call refers to', subagent('another', 'Docs')],
  ])('are none after a change of %s', (_, update) => {
    expect(keysChanged(folded(update))).toEqual([]);
  });
});
