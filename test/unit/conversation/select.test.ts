import { expect, test } from 'vitest';
import {
  changedEntries,
  findTerminal,
  findToolCall,
  pathsOf,
  textOf,
} from '../../../src/core/conversation/select.ts';
import { isQuestion } from '../../../src/core/conversation/steered.ts';
import type { ToolCallEntry } from '../../../src/core/model/conversation.ts';
import { renderEntryMarkdown } from '../../../src/core/render/markdown.ts';
import { createConversationStore, emptyConversation } from '../../support/fold-any.ts';
import { toolCall as call, conversation, message, subagent, terminal, text } from '../render/example.ts';

test('textOf joins the text blocks of a message', () => {
  const image = { type: 'image', mimeType: 'image/png', data: '' } as const;
  expect(textOf(message('agent', text('one '), image, text('two')))).toBe('one two');
  expect(textOf(message('agent', image))).toBe('');
});

test('toolCall finds a tool call by its id, and not the properties of Object.prototype', () => {
  const wanted = call({ toolCallId: 'call-2' });
  const { entries } = conversation({ entries: [message('user'), call({ toolCallId: 'call-1' }), wanted] });
  expect(findToolCall(conversation({ entries }), 'call-2')).toBe(wanted);
  expect(findToolCall(conversation({ entries }), 'constructor')).toBeUndefined();
});

test('findTerminal reads a terminal that an earlier version saved', () => {
  const { output: _, ...saved } = terminal({ terminalId: '__proto__' });
  const terminals = JSON.parse(JSON.stringify({ a: { ...saved, bytes: '\xc3\xa9' } }));
  expect(findTerminal({ terminals }, 'a')).toEqual({ ...saved, output: 'é' });
  expect(findTerminal({ terminals }, '__proto__')).toBeUndefined();
});

test('pathsOf has the files of diffs, where they were before, and the locations, each once', () => {
  const changes = [
    { operation: 'move', path: '/b', oldPath: '/a' },
    { operation: 'modify', path: '/c' },
    { operation: 'add', path: '/e' },
  ];
  const content = [
    { type: 'content', content: text('/not/a/path') },
    { type: 'diff', changes, patch: null },
  ] as const;
  const locations = [{ path: '/c', line: 3 }, { path: '/d' }];
  expect(pathsOf(call({ content, locations }))).toEqual(['/b', '/a', '/c', '/e', '/d']);
  expect(pathsOf(call({}))).toEqual([]);
});

test.each([undefined, null])('changedEntries returns all entries if nothing is drawn yet: %s', (nothing) => {
  const store = createConversationStore(emptyConversation('s1'));
  expect(changedEntries(nothing, store.getSnapshot())).toEqual([]);
  for (const messageId of ['1', '2']) {
    store.apply({ sessionUpdate: 'user_message', messageId, content: [{ type: 'text', text: 'Hi' }] });
  }
  const all = changedEntries(nothing, store.getSnapshot());
  expect(all).toEqual(store.getSnapshot().entries);
  expect(all).toHaveLength(2);
});

test('changedEntries has no tool call whose subagent is an equal object, as a mirror makes it', () => {
  const subagents = [subagent({ sessionId: 's1' })];
  const entries = [call({ content: [{ type: 'session', sessionId: 's1' }] })];
  const before = conversation({ entries, subagents });
  expect(changedEntries(before, { ...before, subagents: structuredClone(subagents) })).toEqual([]);
});

test('a question is a message of the user that was not given to a running turn', () => {
  const question = message('user');
  const entries = [call({}), message('agent'), { ...question, key: 'steer:1' }, question];
  expect(entries.filter(isQuestion)).toEqual([question]);
});

test('a conversation without models has no key for them', () => {
  expect(emptyConversation('s1')).not.toHaveProperty('models');
});

const markdown = '# Move\n\n1. **Pack**';
const planText = { content: [{ type: 'content', content: text(markdown) }] } as const;

test.each<[string, Partial<ToolCallEntry>, string]>([
  ['text', { ...planText, toolKind: 'switch_mode' }, '#### Move\n\n1. **Pack**'],
  ['input', { rawInput: { plan: markdown }, toolKind: 'switch_mode' }, '#### Move\n\n1. **Pack**'],
  ['text of another kind of tool', planText, '```\n# Move\n\n1. **Pack**\n```'],
])(
  'a transcript shows a plan in the %s of a tool call as Markdown, and other output as it is',
  (_, fields, shown) => {
    expect(renderEntryMarkdown(conversation({}), call(fields))).toContain(shown);
  },
);
