import { expect, test } from 'vitest';
import type { DialectName } from '../../src/protocol/dialect.ts';
import { flush, openSession } from '../support/open-session.ts';

const step = (content: string) => ({ content, priority: 'low', status: 'pending' });

test('29. version 1 has one plan, replaced whole; version 2 has one for each id, which may go, of any type', async () => {
  const old = await openSession('v1');
  old.agent.update(
    's1',
    { sessionUpdate: 'plan', entries: [step('a')] },
    { sessionUpdate: 'plan', entries: [step('b')] },
  );
  await flush(old.agent);
  expect(old.conversation().plans).toEqual([{ planId: 'plan', entries: [step('b')] }]);
  const plan = (planId: string, content: string) => ({
    sessionUpdate: 'plan_update',
    plan: { type: 'items', planId, entries: [step(content)] },
  });
  const board = { type: '_board', planId: 'c', columns: 2 };
  const { agent, conversation } = await openSession('v2-baseline');
  agent.update(
    's1',
    plan('a', '1'),
    plan('b', '2'),
    plan('a', '3'),
    { sessionUpdate: 'plan_removed', planId: 'b' },
    { sessionUpdate: 'plan_update', plan: board },
  );
  await flush(agent);
  expect(conversation().plans).toEqual([
    { planId: 'a', entries: [step('3')] },
    { planId: 'c', entries: [], other: board },
  ]);
});

const settings: Readonly<Record<DialectName, readonly object[]>> = {
  v1: [
    { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
    {
      sessionUpdate: 'config_option_update',
      configOptions: [{ id: 'brave', name: 'Brave', type: 'boolean', currentValue: true }],
    },
    { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'go', description: 'Go' }] },
    { sessionUpdate: 'session_info_update', title: 'Early' },
    { sessionUpdate: 'usage_update', used: 1, size: 2 },
  ],
  'v2-markers': [],
  'v2-baseline': [
    {
      sessionUpdate: 'config_option_update',
      configOptions: [{ configId: 'brave', name: 'Brave', type: 'boolean', currentValue: true }],
    },
    {
      sessionUpdate: 'available_commands_update',
      availableCommands: [{ type: 'command', name: 'go', description: 'Go' }],
    },
    { sessionUpdate: 'session_info_update', title: 'Early' },
    { sessionUpdate: 'usage_update', used: 1, size: 2 },
  ],
};

test.each(['v1', 'v2-baseline'] as const)(
  '30. settings that come before the session has a name are there, in %s',
  async (dialect) => {
    const { conversation } = await openSession(dialect, {
      script: (agent) =>
        agent.on('session/new', (_params, agent) => {
          agent.update('s1', ...settings[dialect]);
          return { sessionId: 's1' };
        }),
    });
    expect(conversation()).toMatchObject({
      configOptions: [{ configId: 'brave', currentValue: true }],
      commands: [{ name: 'go' }],
      info: { title: 'Early' },
      usage: { used: 1, size: 2 },
      modes: dialect === 'v1' ? { currentModeId: 'code' } : null,
    });
  },
);

test.each(['v1', 'v2-markers', 'v2-baseline'] as const)(
  '31. null clears title and time, and notices leave no trace, in %s',
  async (dialect) => {
    const { agent, conversation } = await openSession(dialect);
    agent.update('s1', { sessionUpdate: 'session_info_update', title: 'T', updatedAt: 'now' });
    await flush(agent);
    const before = conversation();
    agent.update('s1', { sessionUpdate: 'notice', severity: 'error', title: 'Look' });
    await flush(agent);
    expect(conversation()).toBe(before);
    agent.update('s1', { sessionUpdate: 'session_info_update', title: null, updatedAt: null });
    await flush(agent);
    expect(conversation().info).toEqual({ title: null, updatedAt: null });
  },
);
