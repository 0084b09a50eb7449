import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConnectionStateError } from '../../../src/core/base/errors.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import { maxAbandonedLoads } from '../../../src/core/client/session/abandoned-loads.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { Conversation } from '../../../src/core/model/conversation.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, loadMethod, settle, text } from '../../support/agents.ts';
import { cwd, giveUp, openSession, toolCalls } from '../../support/open-session.ts';
import { permissionParams, says, stateUpdate, toolCall, toolCallUpdate } from '../../support/updates.ts';

const params = { sessionId: 's1', cwd };

/** An agent of version 1 whose history has a tool call that is unfinished. */
const replaying = (agent: ScriptedAgent) =>
  agent.on('session/load', (_params, agent) => {
    agent.update('s1', toolCall('v1', { status: 'pending' }), toolCallUpdate({ status: 'in_progress' }));
    return null;
  });

const statusIn = (conversation: Conversation) => toolCalls(conversation)[0]?.status;

test.each([
  ['v1', 'replay'],
  ['v2-markers', 'live'],
  ['v2-baseline', 'live'],
] as const)(
  'in %s a message between the answer to a load and the next prompt is %s',
  async (dialect, origin) => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent
          .on(loadMethod(dialect), (_params, agent) => {
            agent.update('s1', says('Hi.', 'before'));
            return {};
          })
          .on('session/prompt', () => noAnswer),
    });
    const session = await connection.loadSession(params);
    agent.update('s1', says('Hi.', 'after'));
    await settle();
    session.prompt('Go on.').catch(() => {});
    await agent.called('session/prompt');
    agent.update('s1', says('Hi.', 'working'));
    await settle();
    expect(session.conversation.entries).toMatchObject([
      { messageId: 'before', origin: 'replay' },
      { messageId: 'after', origin },
      { role: 'user', origin: 'local' },
      { messageId: 'working', origin: 'live' },
    ]);
  },
);

test('[agents: replayed-unfinished] the end of the next turn cancels an open replayed tool call, and a later update of it counts', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) => replaying(agent).on('session/prompt', { stopReason: 'end_turn' }),
  });
  const session = await connection.loadSession(params);
  expect(statusIn(session.conversation)).toBe('in_progress');
  await session.prompt('Go on.');
  expect(statusIn(session.conversation)).toBe('cancelled');
  agent.update('s1', toolCallUpdate({ status: 'completed' }));
  await settle();
  expect(statusIn(session.conversation)).toBe('completed');
});

test('a load during a prompt keeps its tool calls open and the session running', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) =>
      replaying(agent)
        .on('session/new', { sessionId: 's1' })
        .on('session/prompt', () => noAnswer),
  });
  const session = await connection.newSession({ cwd });
  const turn = session.prompt('Write.');
  const { id } = await agent.called('session/prompt');
  await connection.loadSession(params, { duringTurn: 'load' });
  const during = session.conversation;
  expect(statusIn(during)).toBe('in_progress');
  expect(during.activity.state).toBe('running');
  agent.answer(id ?? -1, { stopReason: 'end_turn' });
  await turn;
  expect(statusIn(session.conversation)).toBe('cancelled');
});

test.each(dialectNames)(
  'a load during a turn is refused, and what the agent says is kept, in %s',
  async (dialect) => {
    const { agent, connection, session } = await openSession(dialect, {
      answers: { 'session/prompt': noAnswer },
    });
    const turn = session.prompt('Write.');
    const { id = '' } = await agent.called('session/prompt');
    if (dialect !== 'v1') {
      agent.answer(id, {});
      agent.update('s1', stateUpdate('running'));
    }
    agent.update('s1', says('before ', 'm1'));
    await settle();
    const refused = connection.loadSession(params);
    agent.update('s1', says('during ', 'm1'));
    await expect(refused).rejects.toThrow(ConnectionStateError);
    await expect(refused).rejects.toThrow("pass duringTurn: 'load'");
    agent.update('s1', says('after', 'm1'));
    if (dialect === 'v1') agent.answer(id, { stopReason: 'end_turn' });
    else agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
    await turn;
    expect(agent.calls(loadMethod(dialect))).toEqual([]);
    expect(session.conversation.entries.at(-1)).toMatchObject({ content: [text('before during after')] });
    // After the turn it is a load as any other.
    agent.on(loadMethod(dialect), {});
    await expect(connection.loadSession(params)).resolves.toBe(session);
  },
);

test('commands and a title that arrive during a failed load stay', async () => {
  const { agent, connection, session } = await openSession('v1', { answers: { 'session/load': noAnswer } });
  const loading = connection.loadSession(params);
  const { id = '' } = await agent.called('session/load');
  const availableCommands = [{ name: 'plan', description: 'Plans.' }];
  agent.update('s1', { sessionUpdate: 'available_commands_update', availableCommands });
  agent.update('s1', { sessionUpdate: 'session_info_update', title: 'Tea' });
  agent.channel.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'No history.' } });
  await expect(loading).rejects.toMatchObject({ rpcCode: -32603 });
  expect(session.conversation.commands).toMatchObject(availableCommands);
  expect(session.conversation.info.title).toBe('Tea');
});

test('a load during a permission request keeps its tool call open', async () => {
  const { promise: allowed, resolve: allow } = deferred<string>();
  const { connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent.on('session/load', (_params, agent) => {
        agent.update('s1', toolCall('v1', { status: 'pending' }));
        agent.request('session/request_permission', permissionParams('v1'));
        return null;
      }),
    handlers: { requestPermission: () => allowed },
  });
  const session = await connection.loadSession(params);
  const asking = session.conversation;
  expect(asking.entries).toMatchObject([{ status: 'pending', permission: { title: 'Write' } }]);
  expect(asking.activity.state).toBe('requires_action');
  allow('yes');
  await settle();
  expect(session.conversation).toMatchObject({
    activity: { state: 'idle' },
    entries: [{ status: 'pending', permission: null }],
  });
});

describe.each(dialectNames)('a load after an abandoned load, in %s', (dialect) => {
  const method = loadMethod(dialect);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** An agent that answers no load by itself. The first load is abandoned half way. */
  async function abandoned(isOpen: boolean) {
    const connected = await connectTo(everything[dialect], {
      answers: { 'session/new': { sessionId: 's1' }, [method]: noAnswer },
    });
    const { agent, connection } = connected;
    if (isOpen) await connection.newSession({ cwd });
    const user = new AbortController();
    const first = connection.loadSession(params, { signal: user.signal });
    const { id: firstId = '' } = await agent.called(method);
    agent.update('s1', says('first ', 'a'));
    await settle();
    user.abort('never mind');
    await expect(first).rejects.toBe('never mind');
    return { ...connected, firstId };
  }

  /** Answers the second load with a replay of its own, and returns what is shown then. */
  async function answerSecond(agent: ScriptedAgent, loading: Promise<Session>) {
    const { id = '' } = await agent.called(method, 2);
    agent.update('s1', says('second', 'b'));
    agent.answer(id, {});
    const session = await loading;
    await settle();
    return session.conversation.entries;
  }

  test.each([
    ['an open', true],
    ['a new', false],
  ])('waits for %s session until the first replay is quiet, and shows only its own', async (_, isOpen) => {
    const { agent, connection, diagnostics } = await abandoned(isOpen);
    const second = connection.loadSession(params);
    for (let n = 0; n < 5; n++) {
      await settle();
      vi.advanceTimersByTime(700);
      agent.update('s1', says(`and on ${n} `, 'a'));
    }
    await settle();
    expect(agent.calls(method)).toHaveLength(1);
    vi.advanceTimersByTime(2000);
    expect(await answerSecond(agent, second)).toMatchObject([{ content: [text('second')] }]);
    expect(diagnostics).toEqual([]);
  });

  test('is sent at once when the agent answers the first', async () => {
    const { agent, connection, firstId } = await abandoned(true);
    const second = connection.loadSession(params);
    await settle();
    expect(agent.calls(method)).toHaveLength(1);
    agent.update('s1', says('and last', 'a'));
    agent.answer(firstId, {});
    expect(await answerSecond(agent, second)).toMatchObject([{ content: [text('second')] }]);
  });

  test('can be aborted while it waits', async () => {
    const { agent, connection } = await abandoned(true);
    const user = new AbortController();
    const second = connection.loadSession(params, { signal: user.signal });
    await settle();
    user.abort('enough');
    await expect(second).rejects.toBe('enough');
    expect(agent.calls(method)).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('waits for the second, if that was abandoned too and the agent answers the first', async () => {
    const { agent, connection, firstId } = await abandoned(true);
    const user = new AbortController();
    const second = connection.loadSession(params, { signal: user.signal });
    await settle();
    vi.advanceTimersByTime(2000);
    await agent.called(method, 2);
    user.abort('enough');
    await expect(second).rejects.toBe('enough');
    agent.answer(firstId, {});
    await settle();
    const third = connection.loadSession(params);
    await settle();
    expect(agent.calls(method)).toHaveLength(2);
    vi.advanceTimersByTime(2000);
    const { id = '' } = await agent.called(method, 3);
    agent.answer(id, {});
    await third;
  });
});

test('[reliability: limit-abandoned] loads that the agent never answers are remembered for the newest sessions', async () => {
  const sessionIds = Array.from({ length: maxAbandonedLoads + 1 }, (_, index) => `s${index}`);
  const { agent, connection, diagnostics } = await connectTo(everything.v1, {
    answers: { 'session/load': noAnswer },
  });
  for (const sessionId of sessionIds)
    await giveUp(agent, 'session/load', (options) => connection.loadSession({ sessionId, cwd }, options));
  for (const sessionId of sessionIds) agent.update(sessionId, says('and on', 'm'));
  await settle();
  expect(diagnostics).toMatchObject([
    { rule: 'protocol.unknown_session', message: expect.stringContaining('"s0"') },
  ]);
  // Only the second waits for the rest of the first replay of its session.
  for (const sessionId of ['s0', 's1']) connection.loadSession({ sessionId, cwd }).catch(() => {});
  await settle();
  expect(agent.calls('session/load').slice(sessionIds.length)).toMatchObject([
    { params: { sessionId: 's0' } },
  ]);
});

test('loads of one session are made one after the other, and an abort ends the wait', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    answers: { 'session/load': noAnswer },
  });
  const user = new AbortController();
  const first = connection.loadSession(params);
  const second = connection.loadSession(params, { signal: user.signal });
  const third = connection.loadSession(params);
  const { id = '' } = await agent.called('session/load');
  await settle();
  expect(agent.calls('session/load')).toHaveLength(1);
  user.abort('enough');
  await expect(second).rejects.toBe('enough');
  await settle();
  expect(agent.calls('session/load')).toHaveLength(1);
  agent.update('s1', says('once', 'a'));
  agent.answer(id, {});
  const session = await first;
  const { id: thirdId = '' } = await agent.called('session/load', 2);
  agent.update('s1', says('again', 'a'));
  agent.answer(thirdId, {});
  expect(await third).toBe(session);
  expect(session.conversation.entries).toMatchObject([{ content: [text('again')] }]);
});

test('a load that is aborted while it waits for a close is not sent', async () => {
  const { promise: refused, reject: refuse } = deferred<never>();
  const { agent, connection, session } = await openSession('v1', {
    answers: { 'session/close': () => refused },
  });
  const closing = session.close();
  await agent.called('session/close');
  const user = new AbortController();
  const loading = connection.loadSession(params, { signal: user.signal });
  await settle();
  user.abort('never mind');
  refuse(new RequestError(-32603, 'Not now.'));
  await expect(closing).rejects.toThrow('Not now.');
  await expect(loading).rejects.toBe('never mind');
  await settle();
  expect(agent.calls('session/load')).toEqual([]);
});

test('in version 1 what follows the answer to a resume is not history, and is shown at once', async () => {
  const { agent, connection, session } = await openSession('v1', {
    script: (agent) =>
      agent.on('session/resume', (_params, agent) => {
        agent.update('s1', says('Hello.', 'm1'), says('Bye.', 'm2'));
        return {};
      }),
  });
  agent.update('s1', says('Hello.', 'm1'));
  await settle();
  for (const n of [3, 4]) {
    await connection.resumeSession(params);
    agent.update('s1', says('Now.', `m${n}`));
    await settle();
  }
  expect(session.conversation.entries).toMatchObject([
    { messageId: 'm1', origin: 'live', content: [text('Hello.')] },
    { messageId: 'm2', origin: 'replay', content: [text('Bye.')] },
    { messageId: 'm3', origin: 'live' },
    { messageId: 'm4', origin: 'live' },
  ]);
});

test('a replay that a resume did not ask for is that of this resume alone', async () => {
  const replays = [['First.'], ['First.', 'Second.', 'Third.']];
  const { agent, connection, session } = await openSession('v1', {
    script: (agent) =>
      agent.on('session/resume', (_params, agent) => {
        // An agent that gives new ids with each replay.
        const turn = agent.calls('session/resume').length;
        for (const [n, said] of (replays[turn - 1] ?? []).entries())
          agent.update('s1', says(said, `${turn}-${n}`));
        return {};
      }),
  });
  agent.update('s1', says('First.', 'a'));
  await settle();
  await connection.resumeSession(params);
  agent.update('s1', says('Second.', 'b'));
  await settle();
  await connection.resumeSession(params);
  expect(session.conversation.entries).toMatchObject([
    { messageId: 'a' },
    { messageId: 'b', content: [text('Second.')] },
    { content: [text('Third.')] },
  ]);
  expect(session.conversation.entries).toHaveLength(3);
});

test('a resume that was given up does not delay the next one', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    answers: { 'session/resume': noAnswer },
  });
  await giveUp(agent, 'session/resume', (options) => connection.resumeSession(params, options));
  connection.resumeSession(params).catch(() => {});
  await settle();
  expect(agent.calls('session/resume')).toHaveLength(2);
});

test.each(dialectNames)(
  'a resume that is answered after the session was closed rejects (%s)',
  async (dialect) => {
    const { agent, connection, session } = await openSession(dialect, {
      answers: { 'session/close': {}, 'session/resume': noAnswer },
    });
    const resuming = connection.resumeSession(params).catch((error: unknown) => error);
    const { id = '' } = await agent.called('session/resume');
    await session.close();
    agent.answer(id, {});
    expect(await resuming).toMatchObject({ code: 'usage.state', method: 'resumeSession' });
    expect(connection.sessions).toEqual([]);
  },
);

test.each(dialectNames)(
  'onProgress counts the updates of the replay, with the session that is being loaded (%s)',
  async (dialect) => {
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on(loadMethod(dialect), async (_params, agent) => {
          for (let batch = 0; batch < 4; batch++) {
            agent.update('s1', ...Array.from({ length: 50 }, (_, n) => says(`${n} `, `m${batch}`)));
            await settle();
          }
          return {};
        }),
    });
    const seen: { readonly updates: number; readonly entries: number }[] = [];
    const sessions = new Set<Session>();
    const session = await connection.loadSession(params, {
      onProgress({ session: loading, updates }) {
        sessions.add(loading);
        seen.push({ updates, entries: loading.conversation.entries.length });
      },
    });
    expect([...sessions]).toEqual([session]);
    expect(seen.at(-1)).toEqual({ updates: 200, entries: 4 });
    expect(seen.length).toBeGreaterThanOrEqual(4);
    expect(seen.length).toBeLessThan(200);
    expect(seen.map(({ updates }) => updates)).toEqual(
      seen.map(({ updates }) => updates).toSorted((a, b) => a - b),
    );
  },
);

test('onProgress is called for no update that is no replay, nor after the answer', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) => replaying(agent).on('session/resume', () => noAnswer),
  });
  const seen: number[] = [];
  const onProgress = ({ updates }: { readonly updates: number }) => seen.push(updates);
  const restoring = connection.openSession(params, { history: 'skip', onProgress });
  const { id = '' } = await agent.called('session/resume');
  agent.update('s1', says('before', 'm'));
  await settle();
  agent.answer(id, {});
  await restoring;
  agent.update('s1', says('after', 'm'));
  await settle();
  expect(seen).toEqual([]);
  await connection.loadSession(params, { onProgress });
  agent.update('s1', says('after', 'm'));
  await settle();
  expect(seen.at(-1)).toBe(2);
});

test('an onProgress that throws is reported, and the load goes on', async () => {
  const { connection, diagnostics } = await connectTo(everything.v1, {
    script: (agent) =>
      agent.on('session/load', (_params, agent) => {
        agent.update('s1', says('Hello.', 'm'));
        return {};
      }),
  });
  const session = await connection.loadSession(params, {
    onProgress() {
      throw new Error('no progress bar');
    },
  });
  expect(session.conversation.entries).toHaveLength(1);
  expect(diagnostics).toMatchObject([
    { rule: 'subscriber.failed', message: expect.stringContaining('no progress bar') },
  ]);
});
