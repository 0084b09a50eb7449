import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import type { ConversationTerminal, ToolCallEntry } from '../../../src/model/conversation.ts';
import { renderHtml } from '../../../src/render/html.ts';
import { renderMarkdown } from '../../../src/render/markdown.ts';
import { renderText } from '../../../src/render/text.ts';
import { conversation, terminal, text, toolCall } from './example.ts';

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
  const terminals = { call_v88: terminal({ terminalId: 'call_v88', bytes: 'out\n', ...fields }) };
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
});

test.each<[name: string, call: Partial<ToolCallEntry>]>([
  ['content shows it', { content: [output('```\nshell-output\n```')], rawOutput: codexOutput }],
  ['the tool call is not finished', { content: [question], status: 'in_progress', rawOutput: codexOutput }],
  ['it has no text', { content: [question], rawOutput: { exit_code: 0 } }],
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

test('the raw output is hidden if a terminal of the agent shows it, and not behind a terminal of the client', () => {
  const call = { content: [terminalItem], rawOutput: [{ type: 'text', text: 'shell-output' }] };
  const terminals = { call_v88: terminal({ terminalId: 'call_v88', bytes: 'printed\n' }) };
  expect(shown(call, terminals)).not.toContain('shell-output');
  expect(shown(call)).toContain('"text": "shell-output"');
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

test('other files of an edit are listed', () => {
  const locations = [{ path: '/a' }, { path: '/b', line: 3 }, { path: '/c' }];
  expect(shown({ ...edit('/a'), locations })).toMatch(/^✓ Tool\n {2}\/b:3, \/c\n\n {2}modify \/a\n/);
  expect(shown({ title: 'Read /b', locations })).toBe('✓ Read /b\n  /a, line 3, /c\n');
});

test('an edit without a difference has no diff', () => {
  const change = { operation: 'modify', path: '/a', oldText: 'a', newText: 'a' };
  const call = toolCall({ content: [{ type: 'diff', changes: [change], patch: null }] });
  expect(shown(call)).toBe('✓ other\n  modify /a\n');
  expect(renderHtml(conversation({ entries: [call] }))).not.toContain('<pre>');
});

const long = { lines: Array.from({ length: 100 }, (_, index) => `line ${index}`), last: 'the end' };
const call = toolCall({ rawInput: long });

test('long JSON is shortened in text and Markdown', () => {
  for (const render of [renderText, renderMarkdown]) {
    const rendered = render(conversation({ entries: [call] }));
    expect(rendered).toContain('"line 17"');
    expect(rendered).toMatch(/\n *… \d+ more characters\n/);
    expect(rendered).not.toContain('the end');
  }
});

test('a long string in JSON is shortened in text', () => {
  const rendered = shown({ rawInput: { text: 'x'.repeat(5000) } });
  expect(rendered.length).toBeLessThan(2200);
  expect(rendered).toMatch(/x\n {4}… \d{4} more characters\n$/);
});

test('long JSON is complete and collapsed in HTML', () => {
  const html = renderHtml(conversation({ entries: [call] }));
  expect(html).toMatch(
    /<p class="label">Input<\/p>\n<details class="long"><summary>\d+ lines<\/summary><pre><code>\{[^<]*the end[^<]*<\/code><\/pre><\/details>/,
  );
});

test('short JSON and long text are complete and not collapsed', () => {
  const printed = 'line\n'.repeat(1000);
  const entries = [toolCall({ rawInput: { path: '/a' }, rawOutput: printed })];
  expect(renderText(conversation({ entries })).match(/ line$/gm)).toHaveLength(1000);
  expect(renderHtml(conversation({ entries }))).not.toContain('<details>');
});

test('very long and very deep JSON is rendered without indentation or cut', () => {
  const wide = { values: Array.from({ length: 200_000 }, () => [[[[[1]]]]]) };
  expect(renderHtml(conversation({ entries: [toolCall({ rawInput: wide })] })).length).toBeLessThan(
    4_000_000,
  );
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  expect(renderHtml(conversation({ entries: [toolCall({ rawInput: deep })] })).length).toBeLessThan(20_000);
});
