import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/core/base/json.ts';
import { changedEntries, findToolCall } from '../../../src/core/conversation/select.ts';
import type { AnyUpdate } from '../../../src/core/model/client-update.ts';
import type {
  Conversation,
  ConversationTerminal,
  ToolCallEntry,
} from '../../../src/core/model/conversation.ts';
import type { ToolCallContent } from '../../../src/core/model/tool-call.ts';
import { renderHtml } from '../../../src/core/render/html.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { toolOutput } from '../../../src/core/render/tool-output.ts';
import { emptyConversation, foldUpdates } from '../../support/fold-any.ts';
import { conversation, terminal, text, toolCall } from './example.ts';

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
function shown(fields: Partial<ToolCallEntry>, terminals: Record<string, ConversationTerminal> = {}): string {
  const all = renderText(conversation({ entries: [toolCall({ title: 'Tool', ...fields })], terminals }));
  return all.slice(all.indexOf('\n\n') + 2);
}

const output = (value: string) => ({ type: 'content', content: text(value) }) as const;
const terminalItem = { type: 'terminal', terminalId: 'call_v88' } as const;

test.each<[name: string, terminal: Partial<ConversationTerminal>, rawInput: JsonValue, label: string]>([
  [
    'the command of the terminal',
    { command: 'make', exitStatus: { exitCode: 0 } },
    { command: 'x' },
    '  $ make # exit 0\n',
  ],
  [
    'the command of the raw input',
    { exitStatus: { exitCode: 2 } },
    { command: 'ls -l' },
    '  $ ls -l # exit 2\n',
  ],
  ['a command with arguments', {}, { command: ['bash', '-lc', 'ls'] }, '  $ bash -lc ls\n'],
  ['the signal', { command: 'make', exitStatus: { signal: 'SIGKILL' } }, null, '  $ make # exit SIGKILL\n'],
  ['the exit alone', { exitStatus: { exitCode: 0 } }, { path: '/a' }, '  exit 0\n'],
  [
    'the command that did not run',
    { command: 'rm', exitStatus: { exitCode: null, signal: null } },
    null,
    '  $ rm\n',
  ],
  ['the output alone', {}, null, ''],
])('a terminal shows %s', (_, fields, rawInput, label) => {
  const terminals = { call_v88: terminal({ terminalId: 'call_v88', output: 'out\n', ...fields }) };
  expect(shown({ content: [terminalItem], rawInput }, terminals)).toBe(`✓ Tool\n${label}    out\n`);
});

test('a terminal that the conversation does not contain shows its command only', () => {
  expect(shown({ content: [terminalItem], rawInput: { command: 'ls' } })).toBe('✓ Tool\n  $ ls\n');
  expect(shown({ content: [terminalItem] })).toBe('✓ Tool\n');
});

const question = output('May I run this?\nProposed: touch a\nDecisions: Approved, Abort');
const codexOutput = { command: ['bash', '-lc', 'touch a'], formatted_output: 'shell-output\n', exit_code: 0 };

test('the raw output is shown if the content is only the question of a permission request', () => {
  const rawInput = { command: ['bash', '-lc', 'touch a'] };
  const call = { content: [question], rawInput, rawOutput: codexOutput };
  expect(shown(call)).toContain('shell-output');
  expect(shown({ ...call, rawOutput: 'shell-output\n' })).toContain('  Output\n    shell-output\n');
  expect(shown({ ...call, status: 'failed' })).toContain('shell-output');
  expect(shown({ status: 'in_progress', rawOutput: 'so far' })).toContain('  Output\n    so far\n');
});

test.each<[name: string, call: Partial<ToolCallEntry>]>([
  ['content shows it', { content: [output('```\nshell-output\n```')], rawOutput: codexOutput }],
  ['the tool call is not finished', { content: [question], status: 'in_progress', rawOutput: codexOutput }],
  ['it has no text', { content: [question], rawOutput: { exit_code: 0, output: ' ' } }],
  ['a part of it is shown', { content: [question, output('out')], rawOutput: ['more', '\tout '] }],
  [
    'a diff shows it',
    {
      content: [{ type: 'diff', changes: [{ operation: 'delete', path: '/a' }], patch: null }],
      rawOutput: { output: 'Deleted.' },
    },
  ],
])('the raw output is hidden if %s', (_, call) => {
  expect(shown(call)).not.toContain('Output');
});

test.each<[name: string, call: Partial<ToolCallEntry>, text: string]>([
  ['its progress', { progress: { progress: 1, total: 2 } }, '  1 of 2\n'],
  ['a plan to approve', { toolKind: 'switch_mode', rawInput: { plan: '- a' } }, '  - a\n'],
  ['a plan as its text', { toolKind: 'switch_mode', content: [output('- a')] }, '  - a\n'],
  ['text', { content: [output('- a\n```\nb\n```')] }, '    - a\n    ```\n    b\n    ```\n'],
  ['later content', { content: [{ type: '_x' }] }, '  _x\n    {\n      "type": "_x"\n    }\n'],
  ['code', { content: [output('```\n- a\n```')] }, '    - a\n'],
])('a tool call shows %s', (_, call, shownText) => {
  expect(shown(call)).toBe(`✓ Tool\n${shownText}`);
});

test('the raw output is hidden if a terminal of the agent shows it, and not behind a terminal of the client', () => {
  const call = { content: [terminalItem], rawOutput: [{ type: 'text', text: 'shell-output' }] };
  const terminals = { call_v88: terminal({ terminalId: 'call_v88', output: 'printed\n' }) };
  expect(shown(call, terminals)).not.toContain('shell-output');
  expect(shown(call)).toContain('"text": "shell-output"');
});

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

const edit = (path: string, line?: number): Partial<ToolCallEntry> => ({
  locations: [{ path, ...(line && { line }) }],
  content: [
    { type: 'diff', changes: [{ operation: 'modify', path, oldText: 'a\n', newText: 'b\n' }], patch: null },
  ],
});

test('the path of an edit appears once', () => {
  const hunk = '    @@ -1,1 +1,1 @@\n    -a\n    +b\n';
  expect(shown(edit('/src/queue.ts'))).toBe(`✓ Tool\n  modify /src/queue.ts\n${hunk}`);
  expect(shown(edit('/src/queue.ts', 12))).toBe(`✓ Tool\n  modify /src/queue.ts:12\n${hunk}`);
  expect(shown({ ...edit('/src/queue.ts'), title: 'Edit /src/queue.ts' })).toBe(
    `✓ Edit /src/queue.ts\n  modify\n${hunk}`,
  );
  expect(shown({ ...edit('/src/queue.ts', 12), title: '/src/queue.ts' })).toBe(
    `✓ /src/queue.ts\n  modify line 12\n${hunk}`,
  );
});

test('the path of a file is shown behind a title of more than 1,000 characters', () => {
  const titled = (length: number) => shown({ ...edit('/a'), title: '/a'.padEnd(length, '.') });
  expect(titled(1000)).not.toContain('modify /a');
  expect(titled(1001)).toContain('modify /a');
});

test('other files of an edit are listed', () => {
  const locations = [{ path: '/a' }, { path: '/b', line: 3 }, { path: '/c' }];
  expect(shown({ ...edit('/a'), locations })).toMatch(/^✓ Tool\n {2}\/b:3, \/c\n\n {2}modify \/a\n/);
  expect(shown({ title: 'Read /b', locations })).toBe('✓ Read /b\n  /a, line 3, /c\n');
  expect(shown({ title: 'Read /c', locations })).toBe('✓ Read /c\n  /a, /b:3\n');
});

test('an edit without a difference has no diff', () => {
  const change = { operation: 'modify', path: '/a', oldText: 'a', newText: 'a' };
  const call = toolCall({ content: [{ type: 'diff', changes: [change], patch: null }] });
  expect(shown(call)).toBe('✓ other\n  modify /a\n');
  expect(renderHtml(conversation({ entries: [call] }))).not.toContain('<pre');
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
