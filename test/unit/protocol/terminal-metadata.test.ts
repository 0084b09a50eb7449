import { expect, test } from 'vitest';
import { renderHtml } from '../../../src/core/render/html.ts';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { renderText } from '../../../src/core/render/text.ts';
import { deliver, openSession } from '../../support/open-session.ts';

const call = (sessionUpdate: string, rest: object) => ({ sessionUpdate, toolCallId: 't1', ...rest });

test('[agents: terminal-metadata] output that a version 1 agent puts into the metadata of its tool call is a terminal', async () => {
  const { agent, session } = await openSession('v1');
  const terminal_id = '__proto__';
  await deliver(
    agent,
    call('tool_call', {
      title: 'npm test',
      content: [{ type: 'terminal', terminalId: terminal_id }],
      _meta: { terminal_info: { terminal_id, cwd: '/workspace' } },
    }),
    call('tool_call_update', { _meta: { terminal_output: { terminal_id, data: 'résumé 🚀\n' } } }),
    call('tool_call_update', {
      status: 'completed',
      _meta: {
        terminal_output_delta: { terminal_id, data: 'done\n' },
        terminal_exit: { terminal_id, exit_code: 0, signal: null },
      },
    }),
    call('tool_call_update', {
      _meta: { terminal_output: { data: 'of no terminal' }, terminal_exit: 'soon' },
    }),
  );
  const { terminals, entries } = session.conversation;
  expect(Object.keys(terminals)).toEqual([terminal_id]);
  const terminal = Object.values(terminals)[0];
  expect(terminal).toMatchObject({ cwd: '/workspace', exitStatus: { exitCode: 0, signal: null } });
  expect(terminal?.output).toBe('résumé 🚀\ndone\n');
  expect(entries).toMatchObject([{ kind: 'toolCall', status: 'completed' }]);
});

/** What codex-zed 0.16.0 sends for a command that ends before its first chunk of output. */
function shortCommand(output: string, chunks: readonly string[] = []) {
  const terminal_id = 'call_1';
  const command = ['/bin/bash', '-lc', 'npm test'];
  const rawInput = { call_id: terminal_id, command, cwd: '/workspace' };
  return [
    call('tool_call', {
      title: 'npm test',
      kind: 'execute',
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId: terminal_id }],
      rawInput,
      _meta: { terminal_info: { terminal_id, cwd: '/workspace' } },
    }),
    ...chunks.map((data) => call('tool_call_update', { _meta: { terminal_output: { terminal_id, data } } })),
    call('tool_call_update', {
      status: 'completed',
      rawOutput: {
        ...rawInput,
        source: 'unified_exec_startup',
        stdout: output,
        stderr: '',
        aggregated_output: output,
        exit_code: 0,
        formatted_output: output,
        status: 'completed',
      },
      _meta: { terminal_exit: { terminal_id, exit_code: 0, signal: null } },
    }),
  ];
}

async function conversationAfter(updates: readonly object[]) {
  const { agent, session } = await openSession('v1');
  await deliver(agent, ...updates);
  return session.conversation;
}

test('[agents: output-at-exit] output that is only in the raw output of a command that has ended is in its terminal', async () => {
  const conversation = await conversationAfter(shortCommand('résumé 🚀\n12 passed\n'));
  expect(Object.values(conversation.terminals).map(({ output }) => output)).toEqual([
    'résumé 🚀\n12 passed\n',
  ]);
  expect(conversation.terminals['call_1']?.exitStatus).toEqual({ exitCode: 0, signal: null });
  expect(renderText(conversation)).toContain(
    '  $ /bin/bash -lc npm test # exit 0\n    résumé 🚀\n    12 passed\n',
  );
  for (const render of [renderText, renderMarkdown, renderHtml]) {
    const shown = render(conversation);
    expect(shown).toContain('12 passed');
    expect(shown).not.toContain('unified_exec_startup');
  }
});

test('output that was streamed is not added again when the command ends', async () => {
  const { terminals } = await conversationAfter(shortCommand('one\ntwo\n', ['one\n', 'two\n']));
  expect(Object.values(terminals).map(({ output }) => output)).toEqual(['one\ntwo\n']);
});

test.each<[name: string, rawOutput: unknown, shown: string]>([
  ['a shorter form of it', { formatted_output: 'made\n' }, 'made\n'],
  ['an empty text', { aggregated_output: '', formatted_output: 'none' }, ''],
  ['no text', { aggregated_output: 5 }, ''],
  ['a text', 'Chunk ID: 1d1da1', ''],
  ['null', null, ''],
])('the output of a terminal without chunks, when the raw output is %s', async (_, rawOutput, shown) => {
  const _meta = { terminal_exit: { terminal_id: 't', exit_code: 0 } };
  const { terminals } = await conversationAfter([
    call('tool_call', { title: 'make', content: [{ type: 'terminal', terminalId: 't' }] }),
    call('tool_call_update', { status: 'completed', rawOutput, _meta }),
  ]);
  expect(Object.values(terminals).map(({ output }) => output)).toEqual([shown]);
});

test('a listener for updates gets what the agent sent, and not the output that the client found in it', async () => {
  const { agent, session } = await openSession('v1');
  const heard: string[] = [];
  session.onUpdate(({ sessionUpdate }) => heard.push(sessionUpdate));
  await deliver(
    agent,
    call('tool_call_update', {
      rawOutput: { aggregated_output: 'done\n' },
      _meta: { terminal_exit: { terminal_id: 'x', exit_code: 0, signal: null } },
    }),
  );
  expect(heard).toEqual(['tool_call_update', 'terminal_update']);
  expect(session.conversation.terminals['x']?.output).toBe('done\n');
});
