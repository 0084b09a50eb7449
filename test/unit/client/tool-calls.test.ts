import { expect, test } from 'vitest';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { dialectNames, settle, text } from '../../support/agents.ts';
import { flush, openSession, outline, toolCalls } from '../../support/open-session.ts';
import { toolCall } from '../../support/updates.ts';

const call = (fields: object = {}) => ({
  sessionUpdate: 'tool_call',
  toolCallId: 't',
  title: 'Run',
  ...fields,
});
const update = (fields: object = {}) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't', ...fields });
const item = (said: string) => ({ type: 'content', content: text(said) });

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
