import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { noAnswer } from '../../../src/testing/scripted-agent.ts';
import { everything, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { flush, openSession } from '../../support/open-session.ts';

const dialects = ['v2-markers', 'v2-baseline'] as const;
const rule = 'protocol.duplicate_message_id';

test.each(dialects)('in %s, an id that the agent gives to two prompts is reported once', async (dialect) => {
  const diagnostics: Diagnostic[] = [];
  const { session } = await openSession(dialect, {
    connect: { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) },
    script: (agent) =>
      agent.on('session/prompt', ({ prompt }, by) => {
        by.update('s1', { sessionUpdate: 'user_message', messageId: 'same', content: prompt });
        by.update('s1', { sessionUpdate: 'state_update', state: 'running' });
        by.update('s1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
        return { messageId: 'same' };
      }),
  });
  await session.prompt('One.');
  expect(diagnostics.filter((diagnostic) => diagnostic.rule === rule)).toEqual([]);
  await session.prompt('Two.');
  const reported = diagnostics.filter((diagnostic) => diagnostic.rule === rule);
  expect(reported).toHaveLength(1);
  expect(reported[0]?.message).toContain('"same"');
  // The report of the second one is the first one's entry, and what was sent is not lost.
  expect(session.conversation.entries.map((entry) => 'content' in entry && entry.content)).toEqual([
    [text('Two.')],
    [text('Two.')],
  ]);
});

test.each(dialects)(
  'in %s, no message waits for a report that came for another one with its id',
  async (dialect) => {
    const diagnostics: Diagnostic[] = [];
    const { agent, session } = await openSession(dialect, {
      initialize: { ...everything[dialect], _meta: {} },
      connect: { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) },
      script: (agent) =>
        agent.on('session/prompt', () => noAnswer).on('session/inject', { messageId: 'same' }),
    });
    session.prompt('First.').catch(() => {});
    await agent.called('session/prompt');
    agent.update('s1', { sessionUpdate: 'state_update', state: 'running' });
    await eventually(() => session.conversation.activity.state).toBe('running');
    await session.steer('One.');
    await session.steer('Two.');
    expect(session.conversation.pendingMessages?.map(({ messageId }) => messageId)).toEqual(['same', null]);
    expect(diagnostics.map((diagnostic) => diagnostic.rule)).toContain(rule);
    agent.update('s1', { sessionUpdate: 'user_message', messageId: 'same', content: [text('One.')] });
    agent.update('s1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
    await flush(agent);
    expect(session.conversation.pendingMessages).toBeUndefined();
    const said = session.conversation.entries.flatMap((entry) => ('content' in entry ? [entry.content] : []));
    for (const each of ['One.', 'Two.'])
      expect(said.filter((content) => JSON.stringify(content).includes(each))).toHaveLength(1);
  },
);
