import { expect, test } from 'vitest';
import type { DialectName } from '../../../src/protocol/dialect.ts';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { dialectNames, settle, text } from '../../support/agents.ts';
import { flush, openSession, outline, toolCalls } from '../../support/open-session.ts';
import { says, toolCall } from '../../support/updates.ts';

const call = (fields: object = {}) => ({
  sessionUpdate: 'tool_call',
  toolCallId: 't',
  title: 'Run',
  ...fields,
});
const update = (fields: object = {}) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields });
const item = (said: string) => ({ type: 'content', content: text(said) });
const base64 = (said: string) => Buffer.from(said).toString('base64');

async function folded(dialect: DialectName, ...updates: readonly object[]) {
  const { agent, conversation } = await openSession(dialect);
  agent.update('s1', ...updates);
  await flush(agent);
  return conversation();
}

test('an update adds an unknown tool call, and the announcement does not reset its status', async () => {
  for (const status of [{ status: 'pending' }, {}]) {
    const [entry] = toolCalls(
      await folded('v1', update({ status: 'in_progress' }), call({ ...status, kind: 'read' })),
    );
    expect(entry).toMatchObject({ status: 'in_progress', title: 'Run', toolKind: 'read' });
  }
});

test('an update keeps the status, replaces content, and null clears it in version 2 only', async () => {
  const begin = { status: 'completed', content: [item('a')], locations: [{ path: '/a' }] };
  const [kept] = toolCalls(await folded('v1', call(begin), update({ title: 'Renamed' })));
  expect(kept).toMatchObject({ ...begin, title: 'Renamed' });
  const [replaced] = toolCalls(
    await folded('v1', call(begin), update({ content: [item('b')], locations: [] })),
  );
  expect(replaced).toMatchObject({ content: [item('b')], locations: [] });
  const nulls = { status: null, title: null, content: null };
  expect(toolCalls(await folded('v1', call(begin), update(nulls)))).toMatchObject([
    { ...begin, title: 'Run' },
  ]);
  expect(
    toolCalls(await folded('v2-baseline', update({ ...begin, title: 'Run' }), update(nulls))),
  ).toMatchObject([{ status: 'pending', title: null, content: [] }]);
});

test('a content chunk appends, later content replaces, and a chunk adds an unknown tool call', async () => {
  const chunk = (said: string) => ({
    sessionUpdate: 'tool_call_content_chunk',
    toolCallId: 't',
    content: item(said),
  });
  const [entry] = toolCalls(await folded('v2-baseline', chunk('a'), chunk('b')));
  expect(entry).toMatchObject({ status: 'pending', content: [item('a'), item('b')] });
  const [replaced] = toolCalls(await folded('v2-baseline', chunk('a'), update({ content: [item('c')] })));
  expect(replaced?.content).toEqual([item('c')]);
});

test('a late update is applied to the existing entry', async () => {
  const { agent, session, conversation } = await openSession('v1', {
    answers: { 'session/prompt': noAnswer },
  });
  const turn = session.prompt('Go');
  const { id } = await agent.called('session/prompt');
  agent.update('s1', call({ status: 'completed' }), { ...call(), toolCallId: 'u' });
  await flush(agent);
  await session.cancel();
  agent.answer(id as number, { stopReason: 'cancelled' });
  await turn;
  expect(outline(conversation())).toEqual(['user: Go', 't: completed', 'u: cancelled']);
  agent.update('s1', update({ content: [item('late')] }), {
    ...update({ status: 'failed' }),
    toolCallId: 'u',
  });
  await flush(agent);
  expect(outline(conversation())).toEqual(['user: Go', 't: completed', 'u: failed']);
  expect(toolCalls(conversation())[0]?.content).toEqual([item('late')]);
});

test('a newer diff of a file replaces the older one, and a diff without old text is a new file', async () => {
  const diff = (oldText: string | null, newText: string) => ({ type: 'diff', path: '/a', oldText, newText });
  const [entry] = toolCalls(
    await folded('v1', call({ content: [diff(null, 'a')] }), update({ content: [diff('a', 'b')] })),
  );
  expect(entry?.content).toMatchObject([{ changes: [{ operation: 'modify', oldText: 'a', newText: 'b' }] }]);
  const [created] = toolCalls(await folded('v1', call({ content: [diff(null, 'a')] })));
  expect(created?.content).toMatchObject([{ changes: [{ operation: 'add', oldText: null }] }]);
});

test('a terminal can be referenced before its update, and print after its exit', async () => {
  const terminal = { sessionUpdate: 'terminal_update', terminalId: 'x' };
  const conversation = await folded(
    'v2-baseline',
    update({ content: [{ type: 'terminal', terminalId: 'x' }] }),
    { ...terminal, command: 'make', exitStatus: { exitCode: 1 } },
    { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data: base64('late') },
    update({ content: [] }),
  );
  expect(conversation.terminals['x']).toMatchObject({ command: 'make', exitStatus: { exitCode: 1 } });
  expect(conversation.terminals['x']?.output).toBe('late');
});

test('terminal output in _meta of version 1 does not replace content', async () => {
  const { agent, conversation } = await openSession('v1');
  // Agents send it to clients that advertise it in the _meta of their capabilities.
  expect(agent.calls('initialize')).toMatchObject([
    { params: { clientCapabilities: { _meta: { terminal_output: true } } } },
  ]);
  const hidden = (data: string) => update({ _meta: { terminal_output: { terminal_id: 't', data } } });
  agent.update('s1', call({ content: [item('shown')] }), hidden('a'), hidden('b'));
  await flush(agent);
  expect(toolCalls(conversation())).toMatchObject([
    { content: [item('shown')], meta: { terminal_output: { terminal_id: 't', data: 'b' } } },
  ]);
});

test('a tool call announced twice is one entry, with the fields of both', async () => {
  const conversation = await folded(
    'v1',
    call({ status: 'completed', rawInput: {} }),
    says('x'),
    call({ title: 'Run tests', rawInput: { command: 'npm test' } }),
  );
  expect(outline(conversation)).toEqual(['t: completed', 'agent: x']);
  expect(toolCalls(conversation)).toMatchObject([{ title: 'Run tests', rawInput: { command: 'npm test' } }]);
});

test.each(dialectNames)(
  'each part of an update that is dropped is named, and the rest is taken (%s)',
  async (dialect) => {
    const { agent, diagnostics, conversation } = await openSession(dialect);
    agent.update('s1', toolCall(dialect, { locations: [{ path: '/a' }, { path: 5 }] }));
    await settle();
    expect(conversation().entries).toMatchObject([{ title: 'Write', locations: [{ path: '/a' }] }]);
    expect(diagnostics).toMatchObject([
      {
        rule: 'protocol.malformed_update',
        severity: 'warning',
        message: expect.stringContaining('update.locations.1'),
      },
    ]);
  },
);
