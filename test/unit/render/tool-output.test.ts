import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/core/base/json.ts';
import { changedEntries, findToolCall } from '../../../src/core/conversation/select.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type { Conversation, ToolCallEntry } from '../../../src/core/model/conversation.ts';
import type { ToolCallContent } from '../../../src/core/model/tool-call.ts';
import { renderHtml } from '../../../src/core/render/html.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { toolOutput } from '../../../src/core/render/tool-output.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { conversation, text, toolCall } from './example.ts';

const done = { type: 'text' as const, text: 'done' };
const content: readonly ToolCallContent[] = [
  { type: 'content', content: done },
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
const folding = foldUpdates(emptyConversation('s'), [
  { sessionUpdate: 'tool_call_update', toolCallId: 'call', content },
  { sessionUpdate: 'tool_call_update', toolCallId: 'other', title: 'Read' },
  prints('t1', 'one'),
  prints('t2', 'two'),
  subagent('another', 'Tests'),
  subagent('sub', 'Research'),
]);

const callOf = (conversation: Conversation) => findToolCall(conversation, 'call') as ToolCallEntry;
const outputOf = (conversation: Conversation) => toolOutput(conversation, callOf(conversation));
const folded = (...updates: AnyUpdate[]) => foldUpdates(folding, updates);

describe('the output of a tool call', () => {
  test('has the blocks, the lines of diffs, the terminals and the sessions in the order of the content', () => {
    expect(outputOf(structuredClone(folding))).toEqual([
      { type: 'content', content: done },
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
      { type: 'terminal', terminalId: 't1', terminal: folding.terminals['t1'] },
      { type: 'terminal', terminalId: '__proto__', terminal: null },
      { type: 'session', sessionId: 'sub', subagent: folding.subagents?.[1] },
      { type: 'unknown', content: content[5] },
    ]);
  });

  test.each([
    ['another terminal prints', prints('t2', '!')],
    ['another tool call changes', { sessionUpdate: 'tool_call_update', toolCallId: 'other', title: 'Write' }],
    ['another subagent changes', subagent('another', 'Docs')],
    [
      'only its status changes',
      { sessionUpdate: 'tool_call_update', toolCallId: 'call', status: 'in_progress' },
    ],
  ] satisfies [string, AnyUpdate][])('is the same list if %s', (_, update) => {
    expect(outputOf(folded(update))).toBe(outputOf(folding));
  });

  test('is the same list in a mirror if another subagent changes', () => {
    const next = folded(subagent('another', 'Docs'));
    const mirrored = { ...folding, subagents: structuredClone(next.subagents ?? []) };
    expect(outputOf(mirrored)).toBe(outputOf(folding));
    expect(changedEntries(folding, mirrored)).toEqual([]);
  });

  test.each([
    ['its terminal prints', prints('t1', '!'), 2],
    ['the terminal that it refers to appears', prints('__proto__', '!'), 3],
    ['its subagent changes', subagent('sub', 'Other'), 4],
  ] as const)(
    'is another list if %s, only that item is new, and the call has changed',
    (_, update, changed) => {
      const before = outputOf(folding);
      const next = outputOf(folded(update));
      expect(next).not.toBe(before);
      expect(next.map((item, index) => item === before[index])).toEqual(
        before.map((_, index) => index !== changed),
      );
      expect(changedEntries(folding, folded(update)).map(({ key }) => key)).toEqual(['tool:call']);
    },
  );
});

test.each([
  ['a terminal that no tool call refers to', prints('t2', '!')],
  ['a subagent that no tool call refers to', subagent('another', 'Docs')],
])('no entry has changed after a change of %s', (_, update) => {
  expect(changedEntries(folding, folded(update))).toEqual([]);
});

/** The text of one tool call, without the session before it. */
function shown(fields: Partial<ToolCallEntry>): string {
  const all = renderText(conversation({ entries: [toolCall({ title: 'Tool', ...fields })] }));
  return all.slice(all.indexOf('\n\n') + 2);
}

const output = (value: string) => ({ type: 'content', content: text(value) }) as const;

test('only the start of content and the last of the first values of raw output are compared', () => {
  const isShown = (rawOutput: JsonValue, ...said: string[]) =>
    shown({ content: said.map(output), rawOutput }).includes('Output');
  const long = 'x'.repeat(100_000);
  expect(isShown(`${long}y`, long)).toBe(false);
  expect(isShown([' ', 'yes'], 'no')).toBe(true);
  expect(isShown('yes', `${long.slice(3)}yes`)).toBe(false);
  expect(isShown('yes', `${long.slice(2)}yes`)).toBe(true);
  expect([2, 1].map((from) => isShown('yes', long.slice(from), 'yes'))).toEqual([false, true]);
  const valuesWith = (count: number, at: number) => Array(count).fill('other').with(at, 'yes');
  for (const valuesOf of [valuesWith, (...at: [number, number]) => ({ ...valuesWith(...at) })]) {
    expect([1, 0].map((at) => isShown(valuesOf(200, at), 'yes'))).toEqual([false, true]);
    expect([199, 200].map((at) => isShown(valuesOf(300, at), 'yes'))).toEqual([false, true]);
  }
});

test('the path of a file is shown behind a title of more than 1,000 characters', () => {
  const locations = [{ path: '/a' }];
  const isShown = (length: number) =>
    shown({ locations, title: '/a'.padEnd(length, '.') }).endsWith('  /a\n');
  expect([isShown(1000), isShown(1001)]).toEqual([false, true]);
});

const long = { lines: Array.from({ length: 100 }, (_, index) => `line ${index}`), last: 'the end' };
const call = toolCall({ rawInput: long });

test('long JSON is shortened in text and Markdown, and other output is not', () => {
  for (const render of [renderText, renderMarkdown]) {
    const rendered = render(conversation({ entries: [call] }));
    expect(rendered).toContain('"line 17"');
    expect(rendered).toMatch(/\n(?:Input\n```| {2}Input)\n *\{\n/);
    expect(rendered).toMatch(/\n *… \d+ more characters\n/);
    expect(rendered).not.toContain('the end');
  }
  expect(shown({ rawOutput: 'line\n'.repeat(1000) }).match(/ line$/gm)).toHaveLength(1000);
});

test('a long string in JSON is shortened in text', () => {
  const rendered = shown({ rawInput: { text: 'x'.repeat(5000) } });
  expect(rendered.length).toBeLessThan(2200);
  expect(rendered).toMatch(/x\n {4}… 3016 more characters\n$/);
});

test('long JSON is complete and collapsed in HTML', () => {
  const html = renderHtml(conversation({ entries: [call] }));
  expect(html).toMatch(
    /<p class="label" dir="auto">Input<\/p>\n<details class="long"><summary>\d+ lines<\/summary><pre tabindex="0" dir="auto"><code>\{[^<]*the end[^<]*<\/code><\/pre><\/details>/,
  );
});
