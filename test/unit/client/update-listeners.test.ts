import { expect, test } from 'vitest';
import { foldUpdate } from '../../../src/core/conversation/fold.ts';
import { noAnswer, updateMessage } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, text } from '../../support/agents.ts';
import { deliver, eventsOf, flush, messages, openSession } from '../../support/open-session.ts';
import { says, toolCall, toolCallUpdate, yes } from '../../support/updates.ts';

const title = { sessionUpdate: 'session_info_update', title: 'Tea' };

test.each(dialectNames)('in %s, onUpdate gives every update, with the _meta beside it', async (dialect) => {
  const { agent, session } = await openSession(dialect);
  const seen: unknown[] = [];
  const stop = session.onUpdate(({ sessionUpdate }, context) => seen.push([sessionUpdate, context]));
  const _meta = { trace: 'abc' };
  agent.notify('session/update', { sessionId: 's1', update: says('Hi.', 'm1'), _meta });
  await deliver(agent, title);
  stop();
  await deliver(agent, says('Hi.', 'm2'));
  expect(seen).toEqual([
    ['agent_message_chunk', { meta: _meta }],
    ['session_info_update', {}],
  ]);
});

test('onUpdate leaves out what the library made of an update of version 1', async () => {
  const { agent, session } = await openSession('v1');
  const seen: string[] = [];
  session.onUpdate(({ sessionUpdate }) => seen.push(sessionUpdate));
  await deliver(
    agent,
    toolCallUpdate({
      content: [{ type: 'terminal', terminalId: 'x1' }],
      rawOutput: { aggregated_output: 'All of it.' },
      _meta: { terminal_exit: { terminal_id: 'x1', exit_code: 0, signal: null } },
    }),
  );
  expect(session.conversation.terminals['x1']).toMatchObject({ exitStatus: { exitCode: 0 } });
  expect(seen).not.toContain('terminal_output_reported');
  expect(seen).toContain('tool_call_update');
  expect(seen).toContain('terminal_update');
});

test('a prompt that a listener sends starts after the listener got the events of the turn that ended', async () => {
  const { agent, session } = await openSession('v1', {
    answers: { 'session/prompt': noAnswer },
  });
  const turn = session.prompt('One.');
  const { id = '' } = await agent.called('session/prompt');
  await deliver(agent, toolCall('v1', { title: 'Run', status: 'pending' }));
  const seen: string[] = [];
  session.onEvent((event) => {
    if (event.type === 'toolCall') session.prompt('Two.').catch(() => {});
    seen.push(event.type === 'fields' ? session.conversation.activity.state : event.type);
  });
  agent.answer(id, { stopReason: 'end_turn' });
  await turn;
  await agent.called('session/prompt', 2);
  expect(seen).toEqual(['toolCall', 'idle', 'running']);
});

test.each(['v2-markers', 'v2-baseline'] as const)(
  'onEvent gives a permission request that is about no tool call (%s)',
  async (dialect) => {
    const { agent, session } = await openSession(dialect, {
      handlers: { requestPermission: () => ({ outcome: 'selected', optionId: 'yes' }) },
    });
    const events = eventsOf(session);
    const options = [yes];
    await agent.request('session/request_permission', { sessionId: 's1', title: 'Use the network', options });
    expect(events.filter(({ type }) => type === 'permission')).toMatchObject([
      { type: 'permission', permission: { title: 'Use the network', options }, toolCall: null },
    ]);
  },
);

test('20,000 chunks are one message, with one notification per batch, and old snapshots stay readable', async () => {
  const { agent, session, conversation } = await openSession('v1');
  let told = 0;
  session.store.subscribe(() => {
    told++;
  });
  await deliver(agent, says('0', 'm'));
  const early = conversation();
  const total = 20_000;
  const line = JSON.stringify(updateMessage('s1', says('x', 'm')));
  for (let sent = 0; sent < total; sent += 1000) agent.channel.write(`${line}\n`.repeat(1000));
  await flush(agent);
  expect(messages(conversation())).toMatchObject([{ content: [text(`0${'x'.repeat(total)}`)] }]);
  expect(messages(early)).toMatchObject([{ content: [text('0')] }]);
  // A batch is what arrived together: there are far fewer than there are chunks.
  expect(told).toBeLessThan(total / 100);
  const more = { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: text('!') } as const;
  expect(messages(foldUpdate(early, more))).toMatchObject([{ content: [text('0!')] }]);
});
