import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, deliver, flush, openSession, outline, undecided } from '../../support/open-session.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';
import { says, stateUpdate } from '../../support/updates.ts';

describe.each(['v2-markers', 'v2-baseline'] as const)('cancel that a listener calls, in %s', (dialect) => {
  /** A session that is cancelled when its agent reports that it works, inside of the listener. */
  async function cancelledWhenRunning(before: (agent: { readonly closeInput: () => void }) => void) {
    const opened = await openSession(dialect, { answers: { 'session/cancel': () => {} } });
    const { agent, session } = opened;
    const outcome = new Promise<unknown>((resolve) => {
      session.onEvent((event) => {
        if (event.type !== 'fields' || event.changed.activity?.state !== 'running') return;
        before(agent.channel);
        session.cancel().then(
          () => resolve({ sent: agent.calls('session/cancel').length }),
          (error: unknown) => resolve(error),
        );
      });
    });
    agent.update('s1', stateUpdate('running'));
    return outcome;
  }

  test('resolves when the cancellation was sent', async () => {
    expect(await cancelledWhenRunning(() => {})).toEqual({ sent: 1 });
  });

  test('rejects if the cancellation cannot be sent, and leaves no rejection unhandled', async () => {
    const unhandled = unhandledErrors();
    const outcome = await cancelledWhenRunning((channel) => channel.closeInput());
    expect(outcome).toMatchObject({ code: 'connection.closed', method: 'session/cancel' });
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(unhandled).toEqual([]);
  });
});

test.each(dialectNames)('a prompt that %s answers -32800 after a cancel is cancelled', async (dialect) => {
  const { agent, session } = await openSession(dialect, {
    answers: { 'session/prompt': noAnswer, 'session/cancel': () => {} },
  });
  const turn = session.prompt('Go.');
  await session.cancel();
  const { id = '' } = await agent.called('session/prompt');
  agent.channel.send({ jsonrpc: '2.0', id, error: { code: -32800, message: 'Cancelled.' } });
  expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  expect(outline(session.conversation)).toEqual(['user: Go.']);
});

describe.each(['v1', 'v2-baseline'] as const)('a cancel, in %s', (dialect) => {
  const opened = (name: string) => {
    const key = dialect === 'v1' ? 'agentInfo' : 'info';
    return openSession(dialect, {
      initialize: { ...everything[dialect], [key]: { name, version: '1.0.0' } },
      answers: { 'session/prompt': dialect === 'v1' ? noAnswer : {}, 'session/cancel': () => {} },
    });
  };

  test.each([
    ['cline', 0],
    ['Copilot', 0],
    ['scripted', 1],
  ])('before the turn has begun is sent to %s %i times, and once at its first sign', async (name, times) => {
    const { agent, session } = await opened(name);
    session.prompt('Go.').catch(() => {});
    await agent.called('session/prompt');
    const cancelled = session.cancel();
    await deliver(agent, { sessionUpdate: 'session_info_update', title: 'No sign of the turn' });
    expect(agent.calls('session/cancel')).toHaveLength(times);
    for (const said of ['The first sign.', 'More.']) agent.update('s1', says(said, 'm1'));
    await cancelled;
    await flush(agent);
    expect(agent.calls('session/cancel')).toHaveLength(1);
  });

  test.each([
    ['is sent after a moment if there is no sign of the turn', false, 1],
    ['is not sent if the turn has ended meanwhile', true, 0],
  ])('%s', async (_title, hasEnded, times) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { agent, session } = await opened('cline');
    session.prompt('Go.').catch(() => {});
    const { id = '' } = await agent.called('session/prompt');
    const cancelled = session.cancel();
    if (hasEnded && dialect === 'v1') agent.answer(id, { stopReason: 'end_turn' });
    else if (hasEnded) agent.update('s1', stateUpdate('idle', { stopReason: 'end_turn' }));
    await flush(agent);
    await vi.advanceTimersByTimeAsync(1000);
    await cancelled;
    expect(agent.calls('session/cancel')).toHaveLength(times);
  });

  test('of a turn that has begun is sent once', async () => {
    const { agent, session } = await opened('cline');
    session.prompt('Go.').catch(() => {});
    await agent.called('session/prompt');
    await deliver(agent, says('The first sign.', 'm1'));
    await session.cancel();
    await deliver(agent, says('More.', 'm1'));
    expect(agent.calls('session/cancel')).toHaveLength(1);
  });
});

async function open(count: number) {
  let last = 0;
  const { agent, connection } = await connectTo(everything.v1, {
    answers: {
      'session/new': () => ({ sessionId: `s${++last}` }),
      'session/prompt': noAnswer,
      'session/list': noAnswer,
    },
  });
  const sessions = await Promise.all(Array.from({ length: count }, () => connection.newSession({ cwd })));
  return { agent, connection, sessions };
}

test('calls that share a signal cause no leak warning, and each rejects with its reason', async () => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error) => warnings.push(name);
  process.on('warning', onWarning);
  const { agent, connection, sessions } = await open(20);
  const control = new AbortController();
  const { signal } = control;
  const calls = [
    ...sessions.map((session) => session.prompt('Go on.', { signal })),
    ...sessions.map(() => connection.listSessions({}, { signal }).page()),
  ].map((call) => Promise.resolve(call).then(String, (reason: unknown) => reason));
  await turn();
  expect(getEventListeners(signal, 'abort').length).toBe(1);
  control.abort('gone');
  expect(await Promise.all(calls)).toEqual(calls.map(() => 'gone'));
  await agent.called('session/cancel');
  await turn();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a session that was loaded leaves no listener on the signal', async () => {
  const { agent, connection } = await open(0);
  agent.on('session/load', {});
  const { signal } = new AbortController();
  await connection.loadSession({ sessionId: 's1', cwd }, { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a call that is answered does not affect others with the same signal', async () => {
  const { agent, sessions } = await open(2);
  const control = new AbortController();
  const { signal } = control;
  const [first, second] = sessions.map((session) => session.prompt('Go on.', { signal }));
  const { id } = await agent.called('session/prompt');
  agent.answer(id ?? -1, { stopReason: 'end_turn' });
  expect((await first)?.stopReason).toBe('end_turn');
  expect(getEventListeners(signal, 'abort').length).toBe(1);
  control.abort('gone');
  await expect(second).rejects.toBe('gone');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

const options = [{ optionId: 'no', name: 'No', kind: 'reject_once' }];

/** Requests, and their answers when they are withdrawn. */
const requests: readonly (readonly [method: string, params: JsonObject, answer: object])[] = [
  [
    'session/request_permission',
    { sessionId: 's1', toolCall: { toolCallId: 't1' }, options },
    { result: { outcome: { outcome: 'cancelled' } } },
  ],
  [
    'elicitation/create',
    { sessionId: 's1', mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
    { result: { action: 'cancel' } },
  ],
  ['fs/read_text_file', { sessionId: 's1', path: '/a' }, { error: { code: -32800 } }],
  ['_vendor/ask', { sessionId: 's1' }, { error: { code: -32800 } }],
];

/** Waits in a handler for its end, and returns the signal. */
async function waiting(method: string, params: JsonObject) {
  const { signals, wait } = undecided();
  const { agent, session } = await openSession('v1', {
    answers: { 'session/prompt': () => new Promise(() => {}) },
    handlers: {
      requestPermission: wait,
      elicit: { form: wait },
      readTextFile: wait,
      extensions: { '_vendor/ask': wait },
    },
  });
  session.prompt('Go.').catch(() => {});
  await agent.called('session/prompt');
  const asked = agent.request(method, params);
  asked.catch(() => {});
  await eventually(() => signals).toHaveLength(1);
  return { agent, signal: signals[0], asked };
}

const isOver =
  /^(AbortError: The session is over\.|ConnectionClosedError: The connection to the agent ended\.)$/;

test.each(requests)('%s: the signal says that the agent was killed', async (method, params) => {
  const { agent, signal } = await waiting(method, params);
  agent.channel.exit({ exitCode: null, signal: 'SIGKILL' });
  await eventually(() => signal?.aborted).toBe(true);
  expect(String(signal?.reason)).toMatch(isOver);
});

test.each(requests)(
  '%s: the signal says that the agent withdrew the request, which is answered once',
  async (method, params, answer) => {
    const { agent, signal, asked } = await waiting(method, params);
    agent.notify('$/cancel_request', { requestId: asked.id });
    expect(await asked).toMatchObject(answer);
    await eventually(() => signal?.aborted).toBe(true);
    expect(String(signal?.reason)).toMatch(/The agent (withdrew|cancelled) (the|its) request\./);
  },
);
