import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import type { ScriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { text } from '../../support/agents.ts';
import { openSession } from '../../support/open-session.ts';

const says = (words: string) => ({
  sessionUpdate: 'agent_message_chunk',
  messageId: words,
  content: text(words),
});

/** How an agent ends a turn, in the words of each version. */
const ends = {
  v1: (_agent: ScriptedAgent, stopReason: string): JsonObject => ({ stopReason }),
  'v2-baseline': (agent: ScriptedAgent, stopReason: string): JsonObject => {
    const messageId = `m${Math.random()}`;
    agent.update(
      's1',
      { sessionUpdate: 'user_message_chunk', messageId, content: text('Go on.') },
      { sessionUpdate: 'state_update', state: 'running' },
      { sessionUpdate: 'state_update', state: 'idle', stopReason },
    );
    return { messageId };
  },
};

describe.each(['v1', 'v2-baseline'] as const)('a turn without an update (%s)', (dialect) => {
  /** Runs a turn for each list of updates, and gives the diagnostics about empty turns after each. */
  async function reportsAfter(turns: readonly (readonly object[])[], stopReason = 'end_turn') {
    const remaining = [...turns];
    const { session, diagnostics } = await openSession(dialect, {
      script: (scripted) =>
        scripted.on('session/prompt', (_params, agent) => {
          agent.update('s1', ...(remaining.shift() ?? []));
          return ends[dialect](agent, stopReason);
        }),
    });
    const counts: number[] = [];
    for (const _ of turns) {
      await session.prompt('Go on.');
      counts.push(diagnostics.filter(({ rule }) => rule === 'session.empty_turn').length);
    }
    return { counts, diagnostics };
  }

  test('[agents: empty-turn] is reported once, and again after a turn with one', async () => {
    const { counts, diagnostics } = await reportsAfter([[says('Yes.')], [], [], [says('Late.')], []]);
    expect(counts).toEqual([0, 1, 1, 1, 2]);
    expect(diagnostics[0]).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('"s1" with end_turn, and sent nothing'),
    });
  });

  test('is reported if it is the first turn', async () => {
    expect((await reportsAfter([[]])).counts).toEqual([1]);
  });

  test.each<[name: string, update: object]>([
    ['a thought', { sessionUpdate: 'agent_thought_chunk', messageId: 'a', content: text('Hm.') }],
    ['a tool call', { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' }],
    ['the usage', { sessionUpdate: 'usage_update', used: 1, size: 100 }],
    ['a title', { sessionUpdate: 'session_info_update', title: 'Tea' }],
    ['commands', { sessionUpdate: 'available_commands_update', availableCommands: [] }],
    ['an unknown update', { sessionUpdate: 'compacted' }],
    ['an update that cannot be read', { sessionUpdate: 'agent_message_chunk', content: 5 }],
  ])('is not one with %s', async (_name, update) => {
    expect((await reportsAfter([[update]])).counts).toEqual([0]);
  });

  test.each(['cancelled', 'refusal', 'max_tokens'])(
    'is not reported if it ends as %s',
    async (stopReason) => {
      expect((await reportsAfter([[]], stopReason)).counts).toEqual([0]);
    },
  );
});

test.each<[name: string, method: string, params: object]>([
  [
    'a permission',
    'session/request_permission',
    { toolCall: { toolCallId: 't', title: 'Write' }, options: [] },
  ],
  ['a file', 'fs/read_text_file', { path: '/home/user/project/a' }],
])('a turn in which the agent asks for %s is not empty', async (_name, method, params) => {
  const { session, diagnostics } = await openSession('v1', {
    script: (scripted) =>
      scripted.on('session/prompt', async (_params, agent) => {
        await agent.request(method, { sessionId: 's1', ...params });
        return { stopReason: 'end_turn' };
      }),
    handlers: {
      requestPermission: () => ({ outcome: 'cancelled' }),
      readTextFile: () => ({ content: '' }),
    },
  });
  await session.prompt('Go on.');
  expect(diagnostics).toEqual([]);
});

test('a turn in which the agent says something and asks for a file is not empty', async () => {
  const { session, diagnostics } = await openSession('v1', {
    script: (scripted) =>
      scripted.on('session/prompt', async (_params, agent) => {
        agent.update('s1', says('I look.'));
        await agent.request('fs/read_text_file', { sessionId: 's1', path: '/home/user/project/a' });
        return { stopReason: 'end_turn' };
      }),
    handlers: { readTextFile: () => ({ content: '' }) },
  });
  await session.prompt('Go on.');
  expect(diagnostics).toEqual([]);
});
