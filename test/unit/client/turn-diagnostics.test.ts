import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { PermissionOutcome } from '../../../src/core/client/requests/handlers.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { deliver, type OpenSessionOptions, openSession } from '../../support/open-session.ts';
import {
  permissionParams,
  repeats,
  says,
  stateUpdate,
  toolCallUpdate,
  userMessage,
} from '../../support/updates.ts';

/** How an agent ends a turn, in the words of each version. */
const ends = {
  v1: (_agent: ScriptedAgent, stopReason: string): JsonObject => ({ stopReason }),
  'v2-baseline': (agent: ScriptedAgent, stopReason: string): JsonObject => {
    const messageId = `m${Math.random()}`;
    agent.update(
      's1',
      repeats('Go on.', messageId),
      stateUpdate('running'),
      stateUpdate('idle', { stopReason }),
    );
    return { messageId };
  },
};

describe.each(['v1', 'v2-baseline'] as const)('a turn without an update (%s)', (dialect) => {
  /** Runs a turn for each list of updates, and gives the diagnostics about empty turns after each. */
  async function reportsAfter(
    turns: readonly (readonly object[])[],
    { stopReason = 'end_turn', ...options }: { stopReason?: string; idempotencyKey?: string } = {},
  ) {
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
      await session.prompt('Go on.', options);
      counts.push(diagnostics.filter(({ rule }) => rule === 'session.empty_turn').length);
    }
    return { counts, diagnostics };
  }

  test('[agents: empty-turn] is reported once, and again after a turn with one', async () => {
    const { counts, diagnostics } = await reportsAfter([
      [says('Yes.', 'm1')],
      [],
      [],
      [says('Late.', 'm2')],
      [],
    ]);
    expect(counts).toEqual([0, 1, 1, 1, 2]);
    expect(diagnostics[0]).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining('"s1" with end_turn, and sent nothing'),
    });
  });

  test('is reported if it is the first turn', async () => {
    expect((await reportsAfter([[]])).counts).toEqual([1]);
  });

  test('is not reported of a prompt that the program can have sent before, with its own key', async () => {
    // Version 1 has no keys, so an agent runs the prompt again.
    const expected = dialect === 'v1' ? [1] : [0];
    expect((await reportsAfter([[]], { idempotencyKey: 'k1' })).counts).toEqual(expected);
  });

  test.each<[name: string, update: object]>([
    ['a thought', { sessionUpdate: 'agent_thought_chunk', messageId: 'a', content: text('Hm.') }],
    ['a tool call', toolCallUpdate({ status: 'completed' }, 't')],
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
      expect((await reportsAfter([[]], { stopReason })).counts).toEqual([0]);
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

describe('[reliability: stalls] a turn in which the agent says nothing', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** Opens a session, and collects the stalls of its connection. */
  async function open(dialect: DialectName, options: OpenSessionOptions, stallAfterMs?: number) {
    const stalls: Diagnostic[] = [];
    const onDiagnostic = (diagnostic: Diagnostic) => {
      if (diagnostic.rule === 'session.stalled') stalls.push(diagnostic);
    };
    const connect = { onDiagnostic, ...(stallAfterMs !== undefined && { stallAfterMs }) };
    return { ...(await openSession(dialect, { ...options, connect })), stalls };
  }

  const silent = { answers: { 'session/prompt': noAnswer } } as const;
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  test.each(['v1', 'v2-baseline'] as const)(
    'is reported once, and again after the next message (%s)',
    async (dialect) => {
      const { agent, session, stalls } = await open(dialect, silent, 200);
      const turn = session.prompt('Think.');
      const { id = '' } = await agent.called('session/prompt');
      await pass(1000);
      expect(stalls.map(({ message }) => message)).toEqual([expect.stringContaining('200 ms')]);
      await deliver(agent, says('Still here.', 'm3'));
      await pass(1000);
      expect(stalls).toHaveLength(2);
      agent.answer(id, dialect === 'v1' ? { stopReason: 'end_turn' } : { messageId: 'u1' });
      agent.update('s1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
      expect((await turn).stopReason).toBe('end_turn');
    },
  );

  test.each(['v2-markers', 'v2-baseline'] as const)(
    'is reported if the agent accepts the prompt and never begins, and a cancel before or after that ends it (%s)',
    async (dialect) => {
      for (const isEarly of [true, false]) {
        const accepting = { answers: { 'session/prompt': { messageId: 'u1' } } };
        const { agent, session, stalls } = await open(dialect, accepting, 200);
        const turn = session.prompt('Think.');
        await turn.accepted;
        await deliver(agent, stateUpdate('idle', { background: [] }));
        if (isEarly) await session.cancel();
        await pass(1000);
        if (!isEarly) expect(stalls).toHaveLength(1);
        if (!isEarly) await session.cancel();
        expect(await turn).toEqual({ stopReason: 'cancelled', messageId: 'u1' });
      }
    },
  );

  test('is reported after a minute, and at most 15 seconds later', async () => {
    const { agent, session, stalls } = await open('v1', silent);
    session.prompt('Think.').catch(() => {});
    await agent.called('session/prompt');
    await pass(59_999);
    expect(stalls).toEqual([]);
    await pass(15_001);
    expect(stalls).toHaveLength(1);
  });

  test('is not reported while the agent waits for the user', async () => {
    const asked = deferred();
    const answer = deferred<PermissionOutcome>();
    const { session, stalls } = await open(
      'v1',
      {
        script: (agent) =>
          agent.on('session/prompt', () => {
            void agent.request('session/request_permission', permissionParams('v1'));
            return noAnswer;
          }),
        handlers: {
          requestPermission: () => {
            asked.resolve();
            return answer.promise;
          },
        },
      },
      200,
    );
    session.prompt('Write.').catch(() => {});
    await asked.promise;
    await pass(1000);
    expect(stalls).toEqual([]);
    answer.resolve({ outcome: 'selected', optionId: 'yes' });
    await settle();
    await pass(1000);
    expect(stalls).toHaveLength(1);
  });

  test('is not reported without an open prompt, and with an infinite stallAfterMs', async () => {
    const ended = await open('v1', { answers: { 'session/prompt': { stopReason: 'end_turn' } } }, 200);
    await ended.session.prompt('Go.');
    const endless = await open('v1', silent, Number.POSITIVE_INFINITY);
    endless.session.prompt('Think.').catch(() => {});
    await endless.agent.called('session/prompt');
    await pass(600_000);
    expect([...ended.stalls, ...endless.stalls]).toEqual([]);
  });
});

test.each(['v1', 'v2-baseline'] as const)(
  'a turn that goes on after a cancel is reported once (%s)',
  async (dialect) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const answer = dialect === 'v1' ? noAnswer : { messageId: 'u1' };
    const { agent, session, diagnostics } = await openSession(dialect, {
      answers: { 'session/prompt': answer },
    });
    session.prompt('Go.').catch(() => {});
    await agent.called('session/prompt');
    /** What is reported of an update that comes some time later. */
    const after = async (ms: number, update: object = says('Still here.', 'm3')) => {
      await vi.advanceTimersByTimeAsync(ms);
      await deliver(agent, update);
      return diagnostics.splice(0).map(({ rule, message }) => [rule, message.match(/"\w+" \d+ ms/)?.[0]]);
    };
    await after(0, stateUpdate('running'));
    expect(await after(5000)).toEqual([]);
    for (const _ of ['cancelled', 'cancelled again']) {
      await session.cancel();
      expect(await after(3000)).toEqual([]);
      expect(await after(1000, { sessionUpdate: 'session_info_update', title: 'New' })).toEqual([]);
      expect(await after(1000)).toEqual([['session.cancel_ignored', '"agent_message_chunk" 5000 ms']]);
      expect(await after(1000)).toEqual([]);
    }
  },
);

const dialects = ['v2-markers', 'v2-baseline'] as const;
const rule = 'protocol.duplicate_message_id';

test.each(dialects)('in %s, an id that the agent gives to two prompts is reported once', async (dialect) => {
  const { session, diagnostics } = await openSession(dialect, {
    script: (agent) =>
      agent.on('session/prompt', ({ prompt }, by) => {
        by.update('s1', { sessionUpdate: 'user_message', messageId: 'same', content: prompt });
        by.update('s1', stateUpdate('running'));
        by.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
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
    const { agent, session, diagnostics } = await openSession(dialect, {
      initialize: { ...everything[dialect], _meta: {} },
      answers: { 'session/prompt': noAnswer, 'session/inject': { messageId: 'same' } },
    });
    session.prompt('First.').catch(() => {});
    await agent.called('session/prompt');
    agent.update('s1', stateUpdate('running'));
    await eventually(() => session.conversation.activity.state).toBe('running');
    await session.steer('One.');
    await session.steer('Two.');
    expect(session.conversation.pendingMessages?.map(({ messageId }) => messageId)).toEqual(['same', null]);
    expect(diagnostics.map((diagnostic) => diagnostic.rule)).toContain(rule);
    agent.update('s1', userMessage('same', 'One.'));
    await deliver(agent, stateUpdate('idle', { stopReason: 'end_turn' }));
    expect(session.conversation.pendingMessages).toBeUndefined();
    const said = session.conversation.entries.flatMap((entry) => ('content' in entry ? [entry.content] : []));
    for (const each of ['One.', 'Two.'])
      expect(said.filter((content) => JSON.stringify(content).includes(each))).toHaveLength(1);
  },
);
