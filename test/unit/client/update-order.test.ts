import { expect, test } from 'vitest';
import { foldUpdate } from '../../../src/core/conversation/fold.ts';
import { noAnswer, updateMessage } from '../../../src/records/testing/scripted-agent.ts';
import { text } from '../../support/agents.ts';
import { flush, messages, openSession, outline } from '../../support/open-session.ts';
import { says, stateUpdate, toolCall } from '../../support/updates.ts';

test.each(['v1', 'v2-baseline'] as const)(
  'an exit keeps what the agent said, and rejects all open calls, in %s',
  async (dialect) => {
    const { agent, session, connection, conversation } = await openSession(dialect, {
      answers: { 'session/prompt': noAnswer, 'session/list': noAnswer },
    });
    const calls = [session.prompt('Go'), connection.listSessions().page()];
    await agent.called('session/list');
    if (dialect !== 'v1') agent.update('s1', stateUpdate('running'));
    agent.update('s1', toolCall(dialect), says('Last w', 'm'), says('ords', 'm'));
    agent.channel.end();
    const failures = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    expect(failures).toMatchObject([{ code: 'connection.closed' }, { code: 'connection.closed' }]);
    await connection.closed;
    expect(outline(conversation())).toEqual([
      'user: Go',
      't1: cancelled',
      'agent: Last words',
      'interrupted: scripted closed the connection.',
    ]);
    expect(messages(conversation())[0]?.origin).toBe('live');
    expect(conversation().activity.state).toBe('idle');
    expect(session.isClosed).toBe(true);
  },
);

test('20,000 chunks are one message, with one notification per batch, and old snapshots stay readable', async () => {
  const { agent, session, conversation } = await openSession('v1');
  let told = 0;
  session.store.subscribe(() => {
    told++;
  });
  agent.update('s1', says('0', 'm'));
  await flush(agent);
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
