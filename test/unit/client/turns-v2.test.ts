import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallOptions } from '../../../src/core/client/calls/call-options.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { settle } from '../../support/agents.ts';
import { deliver, flush, openSession, outline } from '../../support/open-session.ts';
import { permissionParams, stateUpdate, toolCall, userMessage } from '../../support/updates.ts';

/** The end of turns in version 2. */

/** An agent that accepts a prompt, and then does this. */
const running = (perform: (agent: ScriptedAgent) => unknown) => ({
  script: (agent: ScriptedAgent) =>
    agent.on('session/prompt', () => {
      agent.update('s1', stateUpdate('running'), userMessage('u1', 'Go.'));
      setImmediate(() => perform(agent));
      return { messageId: 'u1' };
    }),
  handlers: { requestPermission: () => 'yes' },
});

/** An agent whose turns end like this. */
const endingWith = (fields: object) =>
  running((agent) => agent.update('s1', stateUpdate('idle', { stopReason: 'error', ...fields })));

const loginError = { code: -32000, message: 'Log in first.' };

test('[agents: left-open] a turn that the agent cancels after a refusal leaves no tool call open', async () => {
  const refusing = running(async (agent) => {
    agent.update('s1', toolCall('v2-baseline', { status: 'in_progress' }));
    await agent.request('session/request_permission', permissionParams('v2-baseline'));
    agent.update('s1', stateUpdate('idle', { stopReason: 'cancelled' }));
  });
  const { session } = await openSession('v2-baseline', refusing);
  expect(await session.prompt('Go.')).toMatchObject({ stopReason: 'cancelled' });
  expect(session.conversation.entries).toMatchObject([
    { role: 'user' },
    { kind: 'toolCall', status: 'cancelled', permission: null },
  ]);
});

test('background work is not cancelled with the turn', async () => {
  const background = [{ type: 'tool_call', toolCallId: 't1' }];
  const call = (toolCallId: string) => toolCall('v2-baseline', { toolCallId, status: 'in_progress' });
  const cancelling = running((agent) =>
    agent.update('s1', call('t1'), call('t2'), stateUpdate('idle', { stopReason: 'cancelled', background })),
  );
  const { connection, session } = await openSession('v2-baseline', cancelling);
  await session.prompt('Go.');
  expect(session.conversation.entries.slice(1)).toMatchObject([
    { toolCallId: 't1', status: 'in_progress' },
    { toolCallId: 't2', status: 'cancelled' },
  ]);
  await connection.close();
  expect(session.conversation.entries[1]).toMatchObject({ status: 'cancelled' });
  // A closed session keeps how its last turn ended.
  expect(session.conversation.activity).toMatchObject({ state: 'idle', stopReason: 'cancelled' });
});

test('background work that ends before a turn begins ends neither that turn nor the wait of the queue', async () => {
  const { agent, session } = await openSession('v2-baseline', {
    answers: { 'session/prompt': () => ({ messageId: crypto.randomUUID() }) },
  });
  const idle = stateUpdate('idle', { background: [] });
  const end = stateUpdate('idle', { stopReason: 'end_turn' });
  const log: string[] = [];
  const turns = [session.prompt('One.'), session.queue('Two.')];
  for (const turn of turns) turn.then(({ stopReason }) => log.push(`${stopReason}`));
  for (const [count, turn] of turns.entries()) {
    await agent.called('session/prompt', count + 1);
    await flush(agent);
    // The reason is that of the turn before.
    await deliver(agent, idle, count === 0 ? idle : end);
    expect(agent.calls('session/prompt')).toHaveLength(count + 1);
    expect(log).toHaveLength(count);
    agent.update('s1', stateUpdate('running'), end);
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
  }
});

describe('a turn that failed while the login dialog is open', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** The turn fails for the lack of a login, and the user leaves the dialog open. */
  async function failed(options: CallOptions) {
    let asked = 0;
    const onAuthRequired = () => {
      asked++;
      return new Promise<void>(() => {});
    };
    const { agent, session } = await openSession('v2-baseline', {
      ...endingWith({ error: loginError }),
      connect: { onAuthRequired },
    });
    const turn = session.prompt('Go.', options).catch((reason: unknown) => reason);
    await settle();
    expect(asked).toBe(1);
    expect(await Promise.race([turn, 'waits'])).toBe('waits');
    return { agent, turn };
  }

  test('[reliability: login-limits] rejects when its signal is aborted, and cancels no later turn', async () => {
    const user = new AbortController();
    const { agent, turn } = await failed({ signal: user.signal });
    user.abort('enough');
    expect(await turn).toBe('enough');
    await settle();
    expect(agent.calls('session/cancel')).toEqual([]);
  });

  test('rejects with its error when its time is up', async () => {
    const { turn } = await failed({ timeoutMs: 500 });
    vi.advanceTimersByTime(500);
    expect(await turn).toMatchObject({ code: 'remote.auth_required', promptAccepted: true });
  });
});

test('a turn of a prompt that onAuthRequired sends does not wait for the login', async () => {
  const inner: unknown[] = [];
  const onAuthRequired = async () => {
    inner.push(await session.prompt('Am I logged in?').catch((reason: unknown) => reason));
  };
  const { session } = await openSession('v2-baseline', {
    ...endingWith({ error: loginError }),
    connect: { onAuthRequired },
  });
  await expect(session.prompt('Go.')).rejects.toMatchObject({ code: 'remote.auth_required' });
  expect(inner).toMatchObject([{ code: 'remote.auth_required' }]);
});

test('[agents: held-prompt-cancelled] a prompt that is answered -32800 ends as cancelled, also if another one was sent since', async () => {
  const { agent, session } = await openSession('v2-baseline', {
    script: (agent) =>
      agent.on('session/prompt', () =>
        agent.calls('session/prompt').length > 1 ? noAnswer : { messageId: 'u1' },
      ),
  });
  const first = session.prompt('One.');
  await first.accepted;
  agent.update('s1', stateUpdate('running'));
  const second = session.prompt('Two.');
  const { id = '' } = await agent.called('session/prompt', 2);
  await session.cancel();
  const third = session.prompt('Three.');
  const { id: other = '' } = await agent.called('session/prompt', 3);
  agent.update('s1', stateUpdate('idle', { stopReason: 'cancelled' }));
  const error = { code: -32800, message: 'Request cancelled' };
  for (const each of [id, other]) agent.channel.send({ jsonrpc: '2.0', id: each, error });
  expect([await first, await second]).toMatchObject([
    { stopReason: 'cancelled' },
    { stopReason: 'cancelled' },
  ]);
  // Only the agent cancelled this one.
  await expect(third).rejects.toMatchObject({ code: 'remote.cancelled' });
  expect(outline(session.conversation)).toEqual(['user: One.', 'user: Two.']);
});

describe('the `_meta` of a turn', () => {
  const quota = stateUpdate('idle', { stopReason: 'end_turn', _meta: { quota: 'new' } });

  test('is that of the answer, and that of the idle state, which takes precedence', async () => {
    const { agent, session } = await openSession('v2-baseline', {
      answers: { 'session/prompt': { messageId: 'm1', _meta: { queue: 2, quota: 'old' } } },
    });
    const turn = session.prompt('Hello.');
    const accepted = await turn.accepted;
    agent.update('s1', quota);
    const { _meta } = await turn;
    expect(accepted).toEqual({ messageId: 'm1', _meta: { queue: 2, quota: 'old' } });
    expect(_meta).toEqual({ queue: 2, quota: 'new' });
  });

  test('is that of the idle state alone if the answer has none, also if the answer comes last', async () => {
    const { session } = await openSession('v2-baseline', {
      script: (agent) =>
        agent.on('session/prompt', () => {
          agent.update('s1', userMessage('m1', 'Hello.'), quota);
          return { messageId: 'm1' };
        }),
    });
    expect((await session.prompt('Hello.'))._meta).toEqual({ quota: 'new' });
  });

  test('is absent if the agent sends none', async () => {
    const { session } = await openSession('v2-baseline', endingWith({ stopReason: 'end_turn' }));
    expect(await session.prompt('Hello.')).not.toHaveProperty('_meta');
  });
});
