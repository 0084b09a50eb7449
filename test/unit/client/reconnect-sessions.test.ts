import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import type { AuthRequiredHandler, ClientConnection } from '../../../src/core/client/connection.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, refuses, settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, giveUp, undecided } from '../../support/open-session.ts';
import { connectRestarting, crash, reaches } from '../../support/restarting-agent.ts';
import { permissionParams, says } from '../../support/updates.ts';

type Script = (agent: ScriptedAgent) => unknown;

/** Opens a session with an agent whose runs take these scripts, one after the other. */
async function openWith(
  dialect: DialectName,
  scripts: readonly Script[],
  options: Partial<ConnectOptions> = {},
) {
  const restarting = await connectRestarting((agent, run) => {
    const script = scripts[run] ?? (() => {});
    script(agent.on('initialize', everything[dialect]));
  }, options);
  return { ...restarting, session: await restarting.connection.newSession({ cwd }) };
}

const resumes: Script = (agent) => agent.on('session/resume', {});
const withHistory = { firstDelayMs: 1, maxDelayMs: 5, maxAttempts: 3, history: 'prefer' } as const;

describe('subagents', () => {
  const announced = { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search' };
  const running = { state: { state: 'running' } };
  const capabilities = { cancel: {} };
  const nested = { ...announced, sessionId: 'nested', capabilities };

  test('a subagent keeps its conversation, and what it asks, does and permits is over with its agent', async () => {
    const { signals, handlers } = undecided();
    const restarting = await openWith('v2-baseline', [() => {}, resumes], { handlers });
    const { connection, agents, session } = restarting;
    agents[0]?.update('s1', { ...announced, capabilities, ...running });
    agents[0]?.update('child', { ...nested, ...running }, says('before the crash', 'm1'));
    void agents[0]?.request(
      'session/request_permission',
      permissionParams('v2-baseline', { sessionId: 'child' }),
    );
    await settle();
    const [subagent] = session.subagents;
    expect(subagent?.state?.state).toBe('running');
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    const known = [...session.subagents];
    const isLost = reaches(connection, 'reconnecting').then(() => [
      signals.map(({ aborted }) => aborted),
      subagent?.state,
      subagent?.conversation.entries[1],
    ]);
    await crash(restarting);
    expect(await isLost).toMatchObject([[true], null, { status: 'cancelled', permission: null }]);
    expect(session.subagents).toEqual(known);
    expect(subagent).toMatchObject({ state: null, capabilities: null });
    await expect(subagent?.cancel()).rejects.toMatchObject({ code: 'usage.capability' });
    agents[1]?.update('s1', { ...announced, ...running });
    agents[1]?.update('child', nested, says(', and after it', 'm1'));
    await settle();
    expect(subagent?.state?.state).toBe('running');
    expect(subagent?.conversation.entries[0]).toMatchObject({
      content: [{ text: 'before the crash, and after it' }],
    });
    await session.subagents[1]?.cancel();
    expect((await agents[1]?.called('session/cancel'))?.params).toEqual({ sessionId: 'nested' });
  });
});

test('a load that was abandoned before the agent ended delays no load after the restart', async () => {
  const restarting = await openWith('v2-baseline', [
    (agent) => agent.on('session/resume', () => noAnswer),
    resumes,
  ]);
  const { connection, agents } = restarting;
  const load = (options?: { readonly signal: AbortSignal }) =>
    connection.loadSession({ sessionId: 's1', cwd }, options);
  await giveUp(agents[0] as ScriptedAgent, 'session/resume', load);
  await crash(restarting);
  load().catch(() => {});
  await settle();
  expect(agents[1]?.calls('session/resume')).toHaveLength(2);
});

test('[reliability: prompt-once] an open prompt rejects, and is not sent again', async () => {
  const restarting = await openWith('v2-baseline', [
    (agent) =>
      agent.on('session/prompt', ({ prompt }) =>
        JSON.stringify(prompt).includes('taken') ? { messageId: 'u1' } : noAnswer,
      ),
    resumes,
  ]);
  const { connection, session, agents } = restarting;
  const taken = session.prompt('taken');
  const unanswered = session.prompt('lost').catch((error) => error);
  await taken.accepted;
  const closed = { code: 'connection.closed', exit: { exitCode: 3 }, cause: { code: 'agent.exit' } };
  const failed = expect(taken).rejects.toMatchObject({ ...closed, promptAccepted: true });
  agents[0]?.channel.exit({ exitCode: 3 });
  await failed;
  expect(await unanswered).toMatchObject({ ...closed, promptAccepted: false });
  await connection.ready;
  const reason = 'scripted exited with code 3.';
  expect(session.conversation.entries.at(-1)).toMatchObject({ kind: 'turnFailure', reason });
  expect(agents[1]?.calls('session/prompt')).toEqual([]);
});

test.each(['newSession', 'loadSession', 'resumeSession'] as const)(
  'a reconnect sends the parameters of the last %s, and not the metadata of its options',
  async (call) => {
    const additionalDirectories = ['/later'];
    const params = {
      sessionId: 's1',
      cwd: '/elsewhere',
      additionalDirectories,
      mcpServers: [{ type: 'stdio', name: 'later', command: '/usr/bin/mcp-later', args: [], env: [] }],
      systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'Answer in verse.' }] },
      _meta: { 'example.com/options': { tools: ['read'] } },
    } as const;
    const restarting = await connectRestarting((agent) =>
      resumes(agent.on('initialize', everything['v2-baseline'])),
    );
    const { connection, agents, states } = restarting;
    const { sessionId: _, ...ofNew } = params;
    const options = { meta: { requestId: 'r1' } };
    const session = await (call === 'newSession'
      ? connection.newSession(ofNew, options)
      : connection[call](params, options));
    additionalDirectories.push('/of-another-session');
    await crash(restarting);
    expect(agents[1]?.calls('session/resume').map((sent) => sent.params)).toEqual([
      { ...params, additionalDirectories: ['/later'] },
    ]);
    expect(states).toEqual(['reconnecting', 'open']);
    expect(connection.sessions).toEqual([session]);
  },
);

describe.each(dialectNames)('an agent of %s that requires a login after each start', (dialect) => {
  const method = dialect === 'v1' ? 'authenticate' : 'auth/login';

  /** Connects to an agent each of whose processes refuses sessions until the user has logged in. */
  async function connectWithLogin(onAuthRequired: AuthRequiredHandler) {
    const restarting = await connectRestarting(
      (agent) => {
        let isLoggedIn = false;
        const whenLoggedIn = (answer: JsonObject) => () => {
          if (!isLoggedIn) throw new RequestError(-32000, 'Authentication required');
          return answer;
        };
        agent
          .on('initialize', everything[dialect])
          .on('session/new', (_, { received }) => whenLoggedIn({ sessionId: `s${received.length}` })())
          .on('session/resume', whenLoggedIn({}))
          .on('session/prompt', dialect === 'v1' ? { stopReason: 'end_turn' } : { messageId: 'u1' })
          .on(method, () => {
            isLoggedIn = true;
            return {};
          });
      },
      { onAuthRequired },
    );
    const { connection } = restarting;
    return {
      ...restarting,
      sessions: [await connection.newSession({ cwd }), await connection.newSession({ cwd })],
    };
  }

  test('asks the user again after a crash, once, and continues the sessions', async () => {
    const asked: string[] = [];
    const restarting = await connectWithLogin(async ({ method, authMethods, connection }) => {
      asked.push(method);
      if (asked.length > 1) {
        expect(connection.state).toBe('reconnecting');
        await expect(connection.newSession({ cwd })).rejects.toMatchObject({ code: 'usage.state' });
      }
      await connection.login(authMethods[0]?.methodId ?? '');
    });
    const { agents, diagnostics, sessions } = restarting;
    await crash(restarting);
    expect(asked).toEqual(['session/new', 'session/resume']);
    expect(agents[1]?.calls(method)).toHaveLength(1);
    expect(sessions.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    await sessions[1]?.prompt('Hi.').accepted;
    expect(agents[1]?.calls('session/prompt')).toHaveLength(1);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('loses the sessions if the user does not log in after a crash, and says why', async () => {
    let asked = 0;
    const restarting = await connectWithLogin(async ({ connection }) => {
      if (asked++ > 0) {
        await settle();
        throw new Error('The user has left.');
      }
      await connection.login('key');
    });
    await crash(restarting);
    expect(asked).toBe(2);
    const ends = await Promise.all(restarting.sessions.map(({ closed }) => closed));
    expect(ends).toEqual([{ reason: 'notRestored' }, { reason: 'notRestored' }]);
    const lost = restarting.diagnostics.filter(({ rule }) => rule === 'protocol.unknown_session');
    expect(lost.map(({ message }) => message.includes('The user has left.'))).toEqual([true, true]);
  });

  type Interruption = (connection: ClientConnection, agent: ScriptedAgent | undefined) => unknown;
  test.each<readonly [string, Interruption, string | null]>([
    ['the connection is closed', (connection) => connection.close(), 'connectionClosed'],
    ['the agent crashes again', (_, agent) => agent?.channel.exit(), null],
  ])('does not lose the sessions if %s while the user is asked', async (_, happen, reason) => {
    let asked = 0;
    const loggedIn = deferred();
    const isAsked = deferred();
    const { connection, agents, diagnostics, sessions } = await connectWithLogin(async ({ connection }) => {
      if (asked++ > 0) {
        isAsked.resolve();
        await loggedIn.promise;
      }
      await connection.login('key');
    });
    agents[0]?.channel.exit();
    await isAsked.promise;
    await happen(connection, agents[1]);
    if (reason === null) {
      await eventually(() => agents[2]?.calls('session/resume').length).toBe(2);
      loggedIn.resolve();
      await eventually(() => agents[2]?.calls('session/resume').length).toBe(4);
      await connection.ready;
      expect(sessions.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    } else {
      loggedIn.resolve();
      for (const session of sessions) expect(await session.closed).toMatchObject({ reason });
    }
    expect(diagnostics.filter(({ rule }) => rule === 'protocol.unknown_session')).toEqual([]);
  });
});

test('a session that cannot be restored closes, and the others continue', async () => {
  let ids = 0;
  const restarting = await connectRestarting((agent) =>
    agent
      .on('initialize', everything['v2-baseline'])
      .on('session/new', () => ({ sessionId: `s${++ids}` }))
      .on('session/resume', ({ sessionId }) => (sessionId === 's1' ? Promise.reject(new Error('gone')) : {})),
  );
  const { connection, agents } = restarting;
  const lost = await connection.newSession({ cwd });
  const kept = await connection.newSession({ cwd });
  await crash(restarting);
  // The others do not wait for it: an agent may find a session a moment later.
  expect([lost.isClosed, kept.isClosed]).toEqual([false, false]);
  expect((await lost.closed).reason).toBe('notRestored');
  expect(agents[1]?.calls('session/resume').length).toBeGreaterThan(2);
  expect(connection.sessions).toEqual([kept]);
  await settle();
  expect(agents[1]?.calls('session/close')).toEqual([]);
});

test.each([
  [1, -32603, 'Internal error'],
  [5, -32603, 'Internal error'],
  [2, -32602, 'No session with id "s1". The session is closing; retry after close completes'],
])(
  'a session that the agent refuses %i times with error %i is opened then, as with qwen serve',
  async (times, code, message) => {
    let tries = 0;
    const restarting = await openWith('v2-baseline', [
      () => {},
      (agent) =>
        agent.on('session/prompt', { messageId: 'u1' }).on('session/resume', () => {
          if (++tries <= times) throw new RequestError(code, message);
          return {};
        }),
    ]);
    await crash(restarting);
    await restarting.connection.ready;
    expect(tries).toBe(times + 1);
    await restarting.session.prompt('Go on.').accepted;
    expect(restarting.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  },
);

test.each([
  ['skip', 'session/resume', {}, /^initialize session\/resume$/],
  ['prefer', 'session/load', {}, /^initialize session\/load$/],
  ['require', 'session/load', {}, /^initialize session\/load$/],
  [
    'prefer',
    'session/resume, without the latest text, after loads that are refused',
    refuses(-32603, 'The history is broken.'),
    /^initialize( session\/load){2,} session\/resume$/,
  ],
] as const)('with history: %s, sessions are opened again with %s', async (history, _, loads, calls) => {
  const opens: Script = (agent) => agent.on('session/load', loads).on('session/resume', {});
  const restarting = await openWith('v1', [() => {}, opens], { reconnect: { ...withHistory, history } });
  await crash(restarting);
  await restarting.connection.ready;
  expect(restarting.session.isClosed).toBe(false);
  expect(restarting.agents[1]?.received.map(({ method }) => method).join(' ')).toMatch(calls);
});

test.each([
  ['complete', [], () => ({})],
  ['complete', [{ sessionUpdate: 'replay_complete' }], refuses(-32002, 'Gone.')],
  ['truncated', [], refuses(-32002, 'Gone.')],
] as const)(
  'a session that is opened again says that its history is %s (%#)',
  async (replay, end, answer) => {
    const opens: Script = (agent) =>
      agent.on('session/resume', () => {
        agent.update('s1', says('after it', 'm1'), ...end);
        return answer();
      });
    const restarting = await openWith('v2-baseline', [() => {}, opens], { reconnect: withHistory });
    expect(restarting.session.replay).toBe(null);
    await crash(restarting);
    expect(restarting.session.replay).toBe(replay);
  },
);

describe.each(dialectNames)(
  'a session that the user closes while the agent is started again, in %s',
  (dialect) => {
    async function crashed(script: Script) {
      const restarting = await openWith(dialect, [() => {}, script]);
      await crash(restarting, 'reconnecting');
      return restarting;
    }

    /** Closes the session while the new run of the agent opens it, and lets the agent answer after that. */
    async function closeWhileOpening(answer: () => JsonObject) {
      const gate = deferred();
      const restarting = await crashed((agent) =>
        agent.on('session/resume', () => gate.promise.then(answer)).on('session/close', {}),
      );
      const { connection, agents, session, diagnostics } = restarting;
      await eventually(() => agents[1]?.calls('session/resume').length).toBe(1);
      await session.close();
      gate.resolve();
      await connection.ready;
      expect(await session.closed).toEqual({ reason: 'closed' });
      expect(connection.sessions).toEqual([]);
      await settle();
      expect(diagnostics.filter(({ rule }) => rule !== 'protocol.dialect_assumed')).toEqual([]);
      return agents[1];
    }

    test('stays closed, and the agent does not get it', async () => {
      const { connection, agents, session } = await crashed(() => {});
      const queued = session.queue('Later.');
      await session.close();
      expect(await session.closed).toEqual({ reason: 'closed' });
      expect(await queued).toMatchObject({ stopReason: 'cancelled' });
      await connection.ready;
      expect(connection.sessions).toEqual([]);
      expect(agents[1]?.received.map(({ method }) => method)).toEqual(['initialize']);
    });

    test('is closed at the agent if that was opening it', async () => {
      const agent = await closeWhileOpening(() => ({}));
      await agent?.called('session/close');
      expect(agent?.calls('session/close')).toMatchObject([{ params: { sessionId: 's1' } }]);
    });

    test('is not reported as lost if the agent refuses to open it', async () => {
      const agent = await closeWhileOpening(refuses(-32603, 'It is broken.'));
      for (const method of ['session/load', 'session/close']) expect(agent?.calls(method)).toEqual([]);
    });
  },
);

test('during a reconnect cancel resolves, and a prompt is refused with what to wait for', async () => {
  const restarting = await openWith('v2-baseline', [() => {}, resumes]);
  const { connection, agents, session } = restarting;
  await crash(restarting, 'reconnecting');
  await expect(session.cancel()).resolves.toBeUndefined();
  await expect(session.prompt('Go on.')).rejects.toMatchObject({
    code: 'usage.state',
    message: expect.stringContaining('connection.ready'),
  });
  await connection.ready;
  expect(agents[1]?.calls('session/cancel')).toEqual([]);
});

test('a reconnect while the agent waits for the user ends the request', async () => {
  const { signals, handlers } = undecided();
  const restarting = await openWith('v1', [() => {}, resumes], { handlers });
  const { agents, session } = restarting;
  void agents[0]?.request('session/request_permission', permissionParams('v1'));
  await settle();
  expect(session.conversation.activity.state).toBe('requires_action');
  await crash(restarting);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(session.conversation).toMatchObject({
    activity: { state: 'idle' },
    entries: [{ toolCallId: 't1', permission: null, status: 'cancelled' }],
  });
});
