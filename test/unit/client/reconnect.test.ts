import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { connect } from '../../../src/client/connect.ts';
import type {
  AuthRequiredHandler,
  ClientConnection,
  ConnectionState,
} from '../../../src/client/connection.ts';
import type { ReconnectOptions } from '../../../src/client/reconnect.ts';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import type { Transport } from '../../../src/transport/transport.ts';
import { dialectNames, everything, nothing, settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';

const cwd = '/home/user/project';
const clientInfo = { name: 'test', version: '0' };
const quick = { firstDelayMs: 1, maxDelayMs: 5, maxAttempts: 3 };

let connection: ClientConnection | undefined;
afterEach(async () => {
  await connection?.close();
});

/** Connects so that each start of the agent takes the next script. */
function connectWith(...scripts: ((agent: ScriptedAgent) => unknown)[]) {
  return connectAsking(quick, ...scripts);
}

async function connectAsking(reconnect: ReconnectOptions, ...scripts: ((agent: ScriptedAgent) => unknown)[]) {
  const agents: ScriptedAgent[] = [];
  const states: ConnectionState[] = [];
  const diagnostics: Diagnostic[] = [];
  const start = () => {
    const agent = scriptedAgent().on('initialize', everything['v2-baseline']);
    const script = scripts[agents.length];
    if (script) script(agent);
    else agent.channel.end();
    agents.push(agent);
    return agent.transport;
  };
  const made = await connect(start, {
    clientInfo,
    reconnect,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
  });
  connection = made;
  made.onStateChange((state) => states.push(state));
  return { connection: made, agents, states, diagnostics };
}

function reaches(from: ClientConnection, state: ConnectionState): Promise<void> {
  return new Promise((resolve) => {
    const stop = from.onStateChange((now) => {
      if (now !== state) return;
      stop();
      resolve();
    });
  });
}

const say = (said: string) => ({
  sessionUpdate: 'agent_message_chunk',
  messageId: 'm1',
  content: text(said),
});

test('a subagent keeps its conversation, and what it does and permits is not known after a crash', async () => {
  const announced = { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search' };
  const { connection, agents } = await connectWith(
    (agent) => agent.on('session/new', { sessionId: 's1' }),
    (agent) => agent.on('session/resume', {}),
  );
  const session = await connection.newSession({ cwd });
  agents[0]?.update('s1', { ...announced, capabilities: { cancel: {} }, state: { state: 'running' } });
  agents[0]?.update('child', say('before the crash'));
  await settle();
  const [subagent] = session.subagents;
  expect(subagent?.state?.state).toBe('running');
  const isBack = reaches(connection, 'open');
  agents[0]?.channel.end();
  await isBack;
  expect(session.subagents).toEqual([subagent]);
  expect(subagent).toMatchObject({ state: null, capabilities: null });
  await expect(subagent?.cancel()).rejects.toMatchObject({ code: 'usage.capability' });
  agents[1]?.update('s1', { ...announced, state: { state: 'running' } });
  agents[1]?.update('child', say(', and after it'));
  await settle();
  expect(subagent?.state?.state).toBe('running');
  expect(subagent?.conversation.entries).toMatchObject([
    { content: [{ text: 'before the crash, and after it' }] },
  ]);
});

test('a load that was abandoned before the agent ended delays no load after the restart', async () => {
  const { connection, agents } = await connectWith(
    (agent) => agent.on('session/new', { sessionId: 's1' }).on('session/resume', () => noAnswer),
    (agent) => agent.on('session/resume', {}),
  );
  await connection.newSession({ cwd });
  const user = new AbortController();
  const abandoned = connection.loadSession({ sessionId: 's1', cwd }, { signal: user.signal });
  await agents[0]?.called('session/resume');
  user.abort('never mind');
  await expect(abandoned).rejects.toBe('never mind');
  const isBack = reaches(connection, 'open');
  agents[0]?.channel.end();
  await isBack;
  connection.loadSession({ sessionId: 's1', cwd }).catch(() => {});
  await settle();
  expect(agents[1]?.calls('session/resume')).toHaveLength(2);
});

test('a question of a subagent ends when its agent crashes, and subagents of subagents work on after it', async () => {
  const announced = { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search' };
  const nested = { ...announced, sessionId: 'nested', capabilities: { cancel: {} } };
  const signals: AbortSignal[] = [];
  const start = (agent: ScriptedAgent) =>
    agent.on('session/new', { sessionId: 's1' }).on('session/resume', {});
  const agents: ScriptedAgent[] = [];
  connection = await connect(
    () => {
      const agent = start(scriptedAgent().on('initialize', everything['v2-baseline']));
      agents.push(agent);
      return agent.transport;
    },
    {
      clientInfo,
      reconnect: quick,
      handlers: {
        requestPermission: (_request, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    },
  );
  const session = await connection.newSession({ cwd });
  agents[0]?.update('s1', { ...announced, state: { state: 'running' } });
  agents[0]?.update('child', { ...nested, state: { state: 'running' } });
  const subject = { type: 'tool_call', toolCall: { toolCallId: 't1', title: 'Find' } };
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  void agents[0]?.request('session/request_permission', {
    sessionId: 'child',
    title: 'Find',
    subject,
    options,
  });
  await settle();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  const isLost = reaches(connection, 'reconnecting').then(() => {
    const [subagent] = session.subagents;
    return [signals.map(({ aborted }) => aborted), subagent?.state, subagent?.conversation.entries];
  });
  const isBack = reaches(connection, 'open');
  agents[0]?.channel.end();
  expect(await isLost).toMatchObject([[true], null, [{ status: 'cancelled', permission: null }]]);
  await isBack;
  agents[1]?.update('s1', announced);
  agents[1]?.update('child', nested);
  await settle();
  await session.subagents[1]?.cancel();
  expect((await agents[1]?.called('session/cancel'))?.params).toEqual({ sessionId: 'nested' });
});

test('in version 1 what follows a reconnect is not history, and is shown at once', async () => {
  const { connection, agents } = await connectWith(
    (agent) => agent.on('initialize', everything.v1).on('session/new', { sessionId: 's1' }),
    (agent) => agent.on('initialize', everything.v1).on('session/resume', {}),
  );
  const session = await connection.newSession({ cwd });
  agents[0]?.update('s1', say('before the crash'));
  await settle();
  const open = reaches(connection, 'open');
  agents[0]?.channel.end();
  await open;
  agents[1]?.update('s1', { ...say('after it'), messageId: 'm2' });
  await settle();
  expect(session.conversation.entries).toMatchObject([
    { content: [text('before the crash')], origin: 'live' },
    { content: [text('after it')], origin: 'live' },
  ]);
});

test('a reconnect keeps the session and its transcript', async () => {
  const { connection, agents, states } = await connectWith(
    (agent) =>
      agent.on('session/new', (_params, agent, id) => {
        agent.answer(id, { sessionId: 's1' });
        agent.update('s1', say('before the crash'));
        return noAnswer;
      }),
    (agent) => agent.on('session/resume', {}).on('session/prompt', { messageId: 'u1' }),
  );
  const additionalDirectories = ['/more'];
  const session = await connection.newSession({ cwd, additionalDirectories });
  additionalDirectories.push('/of-another-session');
  await settle();
  const open = reaches(connection, 'open');
  agents[0]?.channel.end();
  await open;
  expect(states).toEqual(['reconnecting', 'open']);
  expect(connection.sessions).toEqual([session]);
  expect(agents[1]?.calls('session/resume')[0]?.params).toMatchObject({
    sessionId: 's1',
    cwd,
    additionalDirectories: ['/more'],
  });
  expect(session.conversation.entries).toMatchObject([{ content: [text('before the crash')] }]);
  await session.prompt('Go on.').accepted;
  expect(agents[1]?.calls('session/prompt')).toHaveLength(1);
});

test('[reliability: prompt-once] an open prompt rejects, and is not sent again', async () => {
  const { connection, agents } = await connectWith(
    (agent) =>
      agent
        .on('session/new', { sessionId: 's1' })
        .on('session/prompt', ({ prompt }) =>
          JSON.stringify(prompt).includes('taken') ? { messageId: 'u1' } : noAnswer,
        ),
    (agent) => agent.on('session/resume', {}),
  );
  const session = await connection.newSession({ cwd });
  const taken = session.prompt('taken');
  const unanswered = session.prompt('lost').catch((error) => error);
  await taken.accepted;
  const open = reaches(connection, 'open');
  agents[0]?.channel.end();
  await expect(taken).rejects.toMatchObject({ code: 'connection.closed', promptAccepted: true });
  expect(await unanswered).toMatchObject({ code: 'connection.closed', promptAccepted: false });
  await open;
  expect(agents[1]?.calls('session/prompt')).toEqual([]);
});

test('in version 1 an update after the prompt shows that the agent accepted it', async () => {
  const tool = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Write' };
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', (_params, agent) => {
      agent.update('s1', tool);
      agent.channel.end();
      return noAnswer;
    });
  connection = await connect(agent.transport, { clientInfo });
  const session = await connection.newSession({ cwd });
  await expect(session.prompt('Write it.')).rejects.toMatchObject({
    promptAccepted: true,
    message: expect.stringContaining('had started to work on the prompt'),
  });
});

test('a prompt that a line ends which is too long rejects with that error, and the agent is started again', async () => {
  const agents: ScriptedAgent[] = [];
  connection = await connect(
    () => {
      const agent = scriptedAgent({ maxLineBytes: 2000 })
        .on('initialize', everything.v1)
        .on('session/new', { sessionId: 's1' })
        .on('session/resume', {})
        .on('session/prompt', (_, agent) => {
          agent.update('s1', say('x'.repeat(3000)));
          return noAnswer;
        });
      agents.push(agent);
      return agent.transport;
    },
    { clientInfo, reconnect: quick },
  );
  const session = await connection.newSession({ cwd });
  await expect(session.prompt('Go on.')).rejects.toMatchObject({ code: 'protocol.message_too_large' });
  await connection.ready;
  expect(agents).toHaveLength(2);
  expect(session.isClosed).toBe(false);
  expect(session.conversation.entries.at(-1)).toMatchObject({ kind: 'turnFailure', cause: 'interrupted' });
});

test('calls during a reconnect are refused, and nothing is sent', async () => {
  const { connection, agents } = await connectWith(
    (agent) => agent,
    (agent) => agent,
  );
  const reconnecting = reaches(connection, 'reconnecting');
  const open = reaches(connection, 'open');
  agents[0]?.channel.end();
  await reconnecting;
  await expect(connection.newSession({ cwd })).rejects.toMatchObject({ code: 'usage.state' });
  await open;
});

test('[reliability: attempts] the connection closes after the last attempt, with the reason', async () => {
  const { connection, agents, states, diagnostics } = await connectWith((agent) =>
    agent.on('session/new', { sessionId: 's1' }),
  );
  const session = await connection.newSession({ cwd });
  agents[0]?.channel.end();
  expect(await connection.closed).toMatchObject({ error: { code: 'connection.closed' } });
  expect(states).toEqual(['reconnecting', 'closed']);
  const failures = diagnostics.filter(({ rule }) => rule === 'connection.restart_failed');
  expect(failures.map(({ message }) => /attempt \d of \d: \S/.exec(message)?.[0])).toEqual([
    'attempt 1 of 3: T',
    'attempt 2 of 3: T',
    'attempt 3 of 3: T',
  ]);
  expect(agents).toHaveLength(1 + quick.maxAttempts);
  expect(session.isClosed).toBe(true);
});

test.each([
  ['the last attempt', async () => {}],
  ['close', (connection: ClientConnection) => connection.close()],
])('calls after a reconnect that %s ended say that the connection has ended', async (_, end) => {
  const { connection, agents } = await connectWith((agent) => agent);
  const reconnecting = reaches(connection, 'reconnecting');
  agents[0]?.channel.exit({ exitCode: 3 });
  await reconnecting;
  await end(connection);
  await connection.closed;
  const ended = {
    code: 'connection.closed',
    message: expect.stringMatching(
      /called after the connection had ended\. Nothing was sent\..* exited with code 3/,
    ),
  };
  await expect(connection.newSession({ cwd })).rejects.toMatchObject(ended);
  await expect(connection.listSessions().page()).rejects.toMatchObject(ended);
  await expect(connection.request('_x')).rejects.toMatchObject(ended);
  await expect(connection.ready).rejects.toMatchObject({ code: 'connection.closed' });
});

test.each(['loadSession', 'resumeSession'] as const)(
  'a reconnect sends the parameters of the last %s, and not the metadata of its options',
  async (call) => {
    const later = {
      additionalDirectories: ['/later'],
      mcpServers: [{ type: 'stdio', name: 'later', command: '/usr/bin/mcp-later', args: [], env: [] }],
      systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'Answer in verse.' }] },
      _meta: { 'example.com/options': { tools: ['read'] } },
    } as const;
    const { connection, agents } = await connectWith(
      (agent) => agent.on('session/new', { sessionId: 's1' }).on('session/resume', {}),
      (agent) => agent.on('session/resume', {}),
    );
    await connection.newSession({ cwd, additionalDirectories: ['/first'], _meta: { first: true } });
    await connection[call]({ sessionId: 's1', cwd: '/elsewhere', ...later }, { meta: { requestId: 'r1' } });
    agents[0]?.channel.end();
    await reaches(connection, 'open');
    expect(agents[1]?.calls('session/resume')[0]?.params).toEqual({
      sessionId: 's1',
      cwd: '/elsewhere',
      ...later,
    });
  },
);

describe.each(dialectNames)('an agent of %s that requires a login after each start', (dialect) => {
  const method = dialect === 'v1' ? 'authenticate' : 'auth/login';

  /** Connects to an agent each of whose processes refuses sessions until the user has logged in. */
  async function connectWithLogin(onAuthRequired: AuthRequiredHandler) {
    const agents: ScriptedAgent[] = [];
    const diagnostics: Diagnostic[] = [];
    const made = await connect(
      () => {
        let isLoggedIn = false;
        const whenLoggedIn = (answer: JsonObject) => () => {
          if (!isLoggedIn) throw new RequestError(-32000, 'Authentication required');
          return answer;
        };
        const agent = scriptedAgent()
          .on('initialize', everything[dialect])
          .on('session/new', (_, { received }) => whenLoggedIn({ sessionId: `s${received.length}` })())
          .on('session/resume', whenLoggedIn({}))
          .on('session/prompt', dialect === 'v1' ? { stopReason: 'end_turn' } : { messageId: 'u1' })
          .on(method, () => {
            isLoggedIn = true;
            return {};
          });
        agents.push(agent);
        return agent.transport;
      },
      {
        clientInfo,
        reconnect: quick,
        onAuthRequired,
        onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      },
    );
    connection = made;
    const sessions = [await made.newSession({ cwd }), await made.newSession({ cwd })];
    return { connection: made, agents, diagnostics, sessions };
  }

  test('asks the user again after a crash, once, and continues the sessions', async () => {
    const asked: string[] = [];
    const { connection, agents, diagnostics, sessions } = await connectWithLogin(
      async ({ method, authMethods, connection }) => {
        asked.push(method);
        if (asked.length > 1) {
          expect(connection.state).toBe('reconnecting');
          await expect(connection.newSession({ cwd })).rejects.toMatchObject({ code: 'usage.state' });
        }
        await connection.login(authMethods[0]?.methodId ?? '');
      },
    );
    const isBack = reaches(connection, 'open');
    agents[0]?.channel.exit();
    await isBack;
    expect(asked).toEqual(['session/new', 'session/resume']);
    expect(agents[1]?.calls(method)).toHaveLength(1);
    expect(sessions.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    await sessions[1]?.prompt('Hi.').accepted;
    expect(agents[1]?.calls('session/prompt')).toHaveLength(1);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('loses the sessions if the user does not log in after a crash, and says why', async () => {
    let asked = 0;
    const { connection, agents, diagnostics, sessions } = await connectWithLogin(async ({ connection }) => {
      if (asked++ > 0) {
        await settle();
        throw new Error('The user has left.');
      }
      await connection.login('key');
    });
    const isBack = reaches(connection, 'open');
    agents[0]?.channel.exit();
    await isBack;
    expect(asked).toBe(2);
    expect(await Promise.all(sessions.map(({ closed }) => closed))).toEqual([
      { reason: 'notRestored' },
      { reason: 'notRestored' },
    ]);
    const lost = diagnostics.filter(({ rule }) => rule === 'protocol.unknown_session');
    expect(lost.map(({ message }) => message.includes('The user has left.'))).toEqual([true, true]);
  });

  test.each<
    readonly [
      string,
      (connection: ClientConnection, agent: ScriptedAgent | undefined) => unknown,
      string | null,
    ]
  >([
    ['the connection is closed', (connection) => connection.close(), 'connectionClosed'],
    ['the agent crashes again', (_, agent) => agent?.channel.exit(), null],
  ])('does not lose the sessions if %s while the user is asked', async (_, happen, reason) => {
    let asked = 0;
    let logIn = () => {};
    let isAsked = () => {};
    const whileAsked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const { connection, agents, diagnostics, sessions } = await connectWithLogin(async ({ connection }) => {
      if (asked++ > 0) {
        isAsked();
        await new Promise<void>((resolve) => {
          logIn = resolve;
        });
      }
      await connection.login('key');
    });
    agents[0]?.channel.exit();
    await whileAsked;
    await happen(connection, agents[1]);
    if (reason === null) {
      await eventually(() => agents[2]?.calls('session/resume').length).toBe(2);
      logIn();
      await eventually(() => agents[2]?.calls('session/resume').length).toBe(4);
      await connection.ready;
      expect(sessions.map(({ isClosed }) => isClosed)).toEqual([false, false]);
    } else {
      logIn();
      for (const session of sessions) expect(await session.closed).toMatchObject({ reason });
    }
    expect(diagnostics.filter(({ rule }) => rule === 'protocol.unknown_session')).toEqual([]);
  });
});

test('a session that cannot be restored closes, and the others continue', async () => {
  let ids = 0;
  const { connection, agents } = await connectWith(
    (agent) => agent.on('session/new', () => ({ sessionId: `s${++ids}` })),
    (agent) =>
      agent.on('session/resume', ({ sessionId }) =>
        sessionId === 's1' ? Promise.reject(new Error('gone')) : {},
      ),
  );
  const lost = await connection.newSession({ cwd });
  const kept = await connection.newSession({ cwd });
  const open = reaches(connection, 'open');
  agents[0]?.channel.end();
  await open;
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
    const { connection, agents, diagnostics } = await connectWith(
      (agent) => agent.on('session/new', { sessionId: 's1' }),
      (agent) =>
        agent
          .on('session/resume', () => {
            if (++tries <= times) throw new RequestError(code, message);
            return {};
          })
          .on('session/prompt', { messageId: 'u1' }),
    );
    const session = await connection.newSession({ cwd });
    const open = reaches(connection, 'open');
    agents[0]?.channel.end();
    await open;
    await connection.ready;
    expect(tries).toBe(times + 1);
    await session.prompt('Go on.').accepted;
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  },
);

test('a session whose load is refused again and again is resumed, without its latest text', async () => {
  const { connection, agents } = await connectAsking(
    { ...quick, history: 'prefer' },
    (agent) => agent.on('initialize', everything.v1).on('session/new', { sessionId: 's1' }),
    (agent) =>
      agent
        .on('initialize', everything.v1)
        .on('session/load', () => Promise.reject(new RequestError(-32603, 'The history is broken.')))
        .on('session/resume', {}),
  );
  const session = await connection.newSession({ cwd });
  const open = reaches(connection, 'open');
  agents[0]?.channel.end();
  await open;
  await connection.ready;
  expect(session.isClosed).toBe(false);
  expect(agents[1]?.calls('session/load').length).toBeGreaterThan(1);
  expect(agents[1]?.calls('session/resume')).toHaveLength(1);
});

test.each([
  ['skip', 'session/resume'],
  ['prefer', 'session/load'],
  ['require', 'session/load'],
] as const)('with history: %s, sessions are opened again with %s', async (history, method) => {
  const { connection, agents } = await connectAsking(
    { ...quick, history },
    (agent) => agent.on('initialize', everything.v1).on('session/new', { sessionId: 's1' }),
    (agent) => agent.on('initialize', everything.v1).on('session/load', {}).on('session/resume', {}),
  );
  await connection.newSession({ cwd });
  const open = reaches(connection, 'open');
  agents[0]?.channel.end();
  await open;
  expect(agents[1]?.calls(method)).toHaveLength(1);
  expect(
    (agents[1]?.calls('session/load').length ?? 0) + (agents[1]?.calls('session/resume').length ?? 0),
  ).toBe(1);
});

test('a message that was cut off is completed from the history, under its key', async () => {
  const chunk = (said: string) => ({ sessionUpdate: 'agent_message_chunk', content: text(said) });
  const { connection, agents } = await connectAsking(
    { ...quick, history: 'prefer' },
    (agent) =>
      agent
        .on('initialize', everything.v1)
        .on('session/new', { sessionId: 's1' })
        .on('session/prompt', (_params, agent) => {
          agent.update('s1', chunk('one two'));
          return noAnswer;
        }),
    (agent) =>
      agent.on('initialize', everything.v1).on('session/load', (_params, agent) => {
        const prompt = { sessionUpdate: 'user_message_chunk', content: text('Count.') };
        agent.update('s1', prompt, chunk('one two three'), {
          sessionUpdate: 'tool_call',
          toolCallId: 't1',
          title: 'Look',
          status: 'completed',
        });
        return {};
      }),
  );
  const session = await connection.newSession({ cwd });
  const failed = session.prompt('Count.').catch((error: unknown) => error);
  await agents[0]?.called('session/prompt');
  await settle();
  const before = session.conversation.entries;
  const open = reaches(connection, 'open');
  agents[0]?.channel.end();
  await failed;
  await open;
  const { entries } = session.conversation;
  expect(entries.slice(0, 2).map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  expect(entries).toMatchObject([
    { role: 'user' },
    { role: 'agent', content: [text('one two three')], origin: 'live' },
    { kind: 'turnFailure' },
    { toolCallId: 't1', status: 'completed', origin: 'replay' },
  ]);
});

test('a session that was being closed when the agent crashed is not restored', async () => {
  const { connection, agents } = await connectWith(
    (agent) => agent.on('session/new', { sessionId: 's1' }).on('session/close', () => noAnswer),
    (agent) => agent.on('session/resume', {}),
  );
  const session = await connection.newSession({ cwd });
  const closing = session.close().catch((error: unknown) => error);
  await agents[0]?.called('session/close');
  const queued = session.queue('Late.').catch((error: unknown) => error);
  agents[0]?.channel.exit();
  expect(await closing).toMatchObject({ code: 'connection.closed' });
  expect(await queued).toMatchObject({ code: 'connection.closed', promptAccepted: false });
  expect(session.isClosed).toBe(true);
  await connection.ready;
  expect(agents[1]?.calls('session/resume')).toEqual([]);
  expect(connection.sessions).toEqual([]);
});

describe.each(dialectNames)(
  'a session that the user closes while the agent is started again, in %s',
  (dialect) => {
    async function crashed(...scripts: ((agent: ScriptedAgent) => unknown)[]) {
      const speak = (agent: ScriptedAgent) => agent.on('initialize', everything[dialect]);
      const made = await connectWith(
        (agent) => speak(agent).on('session/new', { sessionId: 's1' }),
        ...scripts.map((script) => (agent: ScriptedAgent) => script(speak(agent))),
      );
      const session = await made.connection.newSession({ cwd });
      const reconnecting = reaches(made.connection, 'reconnecting');
      made.agents[0]?.channel.end();
      await reconnecting;
      return { ...made, session };
    }

    test('stays closed, and the agent does not get it', async () => {
      const { connection, agents, session } = await crashed((agent) => agent);
      const queued = session.queue('Later.');
      await session.close();
      expect(session.isClosed).toBe(true);
      expect(await session.closed).toEqual({ reason: 'closed' });
      expect(await queued).toMatchObject({ stopReason: 'cancelled' });
      await connection.ready;
      expect(connection.sessions).toEqual([]);
      for (const method of ['session/resume', 'session/load', 'session/close']) {
        expect(agents[1]?.calls(method)).toEqual([]);
      }
    });

    test('is closed at the agent if that was opening it', async () => {
      let answer: () => void = () => {};
      const { connection, agents, session, diagnostics } = await crashed((agent) => {
        const later = () => new Promise<JsonObject>((resolve) => (answer = () => resolve({})));
        return agent.on('session/resume', later).on('session/close', {});
      });
      await eventually(() => agents[1]?.calls('session/resume').length).toBe(1);
      await session.close();
      answer();
      await connection.ready;
      await agents[1]?.called('session/close');
      expect(agents[1]?.calls('session/close')).toMatchObject([{ params: { sessionId: 's1' } }]);
      expect(connection.sessions).toEqual([]);
      expect(diagnostics.filter(({ rule }) => rule !== 'protocol.dialect_assumed')).toEqual([]);
    });

    test('is not reported as lost if the agent refuses to open it', async () => {
      let refuse: () => void = () => {};
      const { connection, agents, session, diagnostics } = await crashed((agent) => {
        const later = () =>
          new Promise<never>((_, reject) => {
            refuse = () => reject(new RequestError(-32603, 'It is broken.'));
          });
        return agent.on('session/resume', later);
      });
      await eventually(() => agents[1]?.calls('session/resume').length).toBe(1);
      await session.close();
      refuse();
      await connection.ready;
      expect(await session.closed).toEqual({ reason: 'closed' });
      expect(connection.sessions).toEqual([]);
      await settle();
      for (const method of ['session/load', 'session/close']) expect(agents[1]?.calls(method)).toEqual([]);
      expect(diagnostics.filter(({ rule }) => rule !== 'protocol.dialect_assumed')).toEqual([]);
    });
  },
);

test('[reliability: attempts] an agent that exits again and again is given up, and its sessions are kept until then', async () => {
  // However slow the machine is, no run is so long that it counts as one that stays.
  const impatient = { ...quick, maxDelayMs: 600_000 };
  const { connection, agents, states } = await connectAsking(
    impatient,
    (agent) => agent.on('session/new', { sessionId: 's1' }),
    ...Array.from({ length: quick.maxAttempts }, () => (agent: ScriptedAgent) => {
      agent.on('session/resume', () => {
        agent.channel.end();
        return noAnswer;
      });
    }),
  );
  const session = await connection.newSession({ cwd });
  agents[0]?.channel.end();
  await connection.closed;
  expect(states.at(-1)).toBe('closed');
  expect(agents).toHaveLength(1 + quick.maxAttempts);
  expect(agents.slice(1).map((agent) => agent.calls('session/resume').length)).toEqual([1, 1, 1]);
  expect(session.isClosed).toBe(true);
});

test('restarts leave no listeners', async () => {
  const restarts = 20;
  const { connection, agents } = await connectWith(
    ...Array.from({ length: restarts + 1 }, () => (agent: ScriptedAgent) => agent),
  );
  const added: string[] = [];
  const removed: string[] = [];
  const { addEventListener, removeEventListener } = AbortSignal.prototype;
  AbortSignal.prototype.addEventListener = function (type: string, ...rest: [never]) {
    added.push(type);
    return addEventListener.call(this, type, ...rest);
  };
  AbortSignal.prototype.removeEventListener = function (type: string, ...rest: [never]) {
    removed.push(type);
    return removeEventListener.call(this, type, ...rest);
  };
  try {
    for (let n = 0; n < restarts; n++) {
      const open = reaches(connection, 'open');
      agents[n]?.channel.end();
      await open;
      // An agent that runs for longer than the longest delay starts with all attempts again.
      await delay(quick.maxDelayMs + 1);
    }
  } finally {
    Object.assign(AbortSignal.prototype, { addEventListener, removeEventListener });
  }
  expect(added.length).toBeGreaterThanOrEqual(restarts);
  expect(removed).toEqual(added);
});

test('close ends a reconnect', async () => {
  const { connection, agents } = await connectWith((agent) => agent);
  const reconnecting = reaches(connection, 'reconnecting');
  agents[0]?.channel.end();
  await reconnecting;
  await connection.close();
  expect(connection.state).toBe('closed');
});

test('reconnect is off by default, and needs a function that starts the agent', async () => {
  const agent = scriptedAgent().on('initialize', nothing.v1);
  await expect(connect(agent.transport, { clientInfo, reconnect: {} })).rejects.toMatchObject({
    code: 'usage.params',
  });
  const again = scriptedAgent().on('initialize', nothing.v1);
  connection = await connect(() => again.transport, { clientInfo });
  again.channel.end();
  await connection.closed;
  expect(connection.state).toBe('closed');
});

describe('a restart', () => {
  /** Connects to agents of which the first takes `release` to close after its end. */
  async function connectReleasing(release: Promise<void>) {
    const agents: ScriptedAgent[] = [];
    const start = () => {
      const agent = scriptedAgent().on('initialize', everything.v1);
      agents.push(agent);
      const { transport } = agent;
      if (agents.length > 1) return transport;
      const first: Transport = {
        ended: transport.ended,
        listen: (listener) => transport.listen(listener),
        send: (message) => transport.send(message),
        close: () => release,
      };
      return first;
    };
    const rules: string[] = [];
    connection = await connect(start, {
      clientInfo,
      reconnect: quick,
      onDiagnostic: ({ rule }) => rules.push(rule),
    });
    return { connection, agents, rules };
  }

  test('waits until the crashed agent has released everything', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { connection, agents } = await connectReleasing(released);
    const open = reaches(connection, 'open');
    agents[0]?.channel.end();
    // Longer than the pauses between the attempts.
    await delay(100);
    expect(agents).toHaveLength(1);
    release();
    await open;
    expect(agents).toHaveLength(2);
  });

  test('waits for a limited time', async () => {
    const { connection, agents, rules } = await connectReleasing(new Promise(() => {}));
    const open = reaches(connection, 'open');
    agents[0]?.channel.end();
    await open;
    expect(agents).toHaveLength(2);
    // The limit of the transport itself is longer.
    expect(rules).not.toContain('transport.close_failed');
  });
});

describe('the transcript after a crash during a turn', () => {
  const load = { protocolVersion: 1, agentCapabilities: { loadSession: true } };
  const user = { sessionUpdate: 'user_message_chunk', content: text('Write it.') };
  const tool = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Write', status: 'in_progress' };
  const toolOf2 = { ...tool, sessionUpdate: 'tool_call_update' };
  const userOf2 = { sessionUpdate: 'user_message', messageId: 'u1', content: [text('Write it.')] };
  const more = { sessionUpdate: 'agent_message_chunk', messageId: 'm2' };

  /** How an agent opens the session again, and what it sends in the turn and in the replay. */
  const ways = [
    ['resume of version 1', everything.v1, 'session/resume', [say('I begin.'), tool], []],
    [
      'load of version 1',
      load,
      'session/load',
      [say('I begin.'), tool],
      [user, say('I begin.'), { ...tool, status: 'completed' }],
    ],
    [
      'load of version 1 without ids',
      load,
      'session/load',
      [{ ...say('I begin.'), messageId: null }, tool],
      [user, { ...say('I begin.'), messageId: null }, { ...tool, toolCallId: 'stored' }],
    ],
    [
      'resume of version 2',
      everything['v2-baseline'],
      'session/resume',
      [userOf2, say('I begin.'), toolOf2],
      [],
    ],
    [
      'resume of version 2 that replays',
      everything['v2-baseline'],
      'session/resume',
      [userOf2, say('I begin.'), toolOf2],
      [userOf2, say('I begin.'), { ...toolOf2, status: 'completed' }],
    ],
    [
      'resume of version 1 that replays',
      everything.v1,
      'session/resume',
      [say('I begin.'), tool],
      [user, say('I begin.'), tool],
    ],
  ] as const;

  /** Crashes in a turn, and comes back when the session is open again. `early` updates precede the answer. */
  async function crash(
    initialize: JsonObject,
    method: string,
    turn: readonly object[],
    replay: readonly object[],
    { early = replay.length } = {},
  ) {
    const connected = await connectWith(
      (agent) =>
        agent
          .on('initialize', initialize)
          .on('session/new', { sessionId: 's1' })
          .on('session/prompt', (_params, agent) => {
            agent.update('s1', ...turn);
            return noAnswer;
          }),
      (agent) =>
        agent
          .on('initialize', initialize)
          .on(method, (_params, agent, id) => {
            agent.update('s1', ...replay.slice(0, early));
            agent.answer(id, {});
            agent.update('s1', ...replay.slice(early));
            return noAnswer;
          })
          .on('session/prompt', (_params, agent, id) => {
            if (initialize['protocolVersion'] === 1) return { stopReason: 'end_turn' };
            agent.answer(id, { messageId: 'u2' });
            agent.update('s1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
            return noAnswer;
          }),
    );
    const { connection, agents } = connected;
    const session = await connection.newSession({ cwd });
    const failed = session.prompt('Write it.').catch((error: unknown) => error);
    await agents[0]?.called('session/prompt');
    await settle();
    const before = session.conversation.entries;
    const open = reaches(connection, 'open');
    agents[0]?.channel.exit({ exitCode: 7 });
    expect(await failed).toMatchObject({ code: 'connection.closed', promptAccepted: true });
    await open;
    await settle();
    return { ...connected, session, before, entries: session.conversation.entries };
  }

  test.each(ways)('keeps its entries and keys: %s', async (_, initialize, method, turn, replay) => {
    const { session, before, entries } = await crash(initialize, method, turn, replay);
    expect(entries.map(({ key }) => key)).toEqual([
      ...before.map(({ key }) => key),
      expect.stringContaining('turnFailure'),
    ]);
    expect(entries).toMatchObject([
      { role: 'user', origin: 'live', content: [text('Write it.')] },
      { role: 'agent', content: [text('I begin.')] },
      // What the agent says of it counts.
      { toolCallId: 't1', status: JSON.stringify(replay).includes('completed') ? 'completed' : 'cancelled' },
      {
        kind: 'turnFailure',
        cause: 'interrupted',
        reason: expect.stringContaining('exited with code 7'),
        code: null,
      },
    ]);
    expect(session.conversation.activity.state).toBe('idle');
  });

  test.each(ways)('continues with the next prompt: %s', async (_, initialize, method, turn, replay) => {
    const { session, entries } = await crash(initialize, method, turn, replay);
    expect(await session.prompt('Go on.')).toMatchObject({ stopReason: 'end_turn' });
    const after = session.conversation.entries;
    expect(after.slice(0, -1)).toEqual(entries);
    expect(after.at(-1)).toMatchObject({ role: 'user', content: [text('Go on.')] });
  });

  const [, ofLoad] = ways;
  const meanwhile = [
    ...ofLoad[4],
    { ...more, content: text('Done ') },
    { ...more, content: text('meanwhile.') },
  ];

  test.each(meanwhile.map((_, index) => [index]).concat([[meanwhile.length]]))(
    'has what the agent did meanwhile at its end, where %i updates of the replay precede the answer',
    async (early) => {
      const [, initialize, method, turn] = ofLoad;
      const { session } = await crash(initialize, method, turn, meanwhile, { early });
      const { length } = session.conversation.entries;
      await session.prompt('Go on.');
      const { entries } = session.conversation;
      expect(entries).toMatchObject([
        { role: 'user' },
        { role: 'agent', messageId: 'm1' },
        { toolCallId: 't1' },
        { kind: 'turnFailure' },
        { role: 'agent', messageId: 'm2', origin: 'replay', content: [text('Done meanwhile.')] },
        { role: 'user' },
      ]);
      expect(length).toBe(early > ofLoad[4].length ? 5 : 4);
    },
  );

  test('knows a tool call that repeats another one by its words', async () => {
    const [, initialize, method, turn, replay] = ofLoad;
    const again = { ...tool, toolCallId: 't2' };
    const { entries } = await crash(initialize, method, turn, [...replay, again]);
    expect(entries.slice(2)).toMatchObject([
      { toolCallId: 't1' },
      { kind: 'turnFailure' },
      { toolCallId: 't2' },
    ]);
  });

  test('has the terminals of what is new in a replay', async () => {
    const [, initialize, method, turn, replay] = ofLoad;
    const command = {
      ...tool,
      toolCallId: 't2',
      content: [{ type: 'terminal', terminalId: 'w1' }],
      _meta: { terminal_info: { terminal_id: 'w1', command: 'make' } },
    };
    const output = {
      sessionUpdate: 'tool_call_update',
      toolCallId: 't2',
      _meta: { terminal_output: { terminal_id: 'w1', data: 'built' } },
    };
    const { session } = await crash(initialize, method, turn, [...replay, command, output], {
      early: replay.length + 1,
    });
    await session.prompt('Go on.');
    expect(session.conversation).toMatchObject({
      entries: { 4: { toolCallId: 't2', content: [{ terminalId: 'w1' }] } },
      terminals: { w1: { command: 'make', output: 'built' } },
    });
  });
});

describe('connection.ready', () => {
  test('resolves at once while the connection is open', async () => {
    const { connection } = await connectWith((agent) => agent);
    await expect(connection.ready).resolves.toBeUndefined();
  });

  test('resolves during a reconnect when the sessions are restored', async () => {
    const { connection, agents } = await connectWith(
      (agent) => agent.on('session/new', { sessionId: 's1' }),
      (agent) => agent.on('session/resume', {}).on('session/prompt', { messageId: 'u1' }),
    );
    const session = await connection.newSession({ cwd });
    const reconnecting = reaches(connection, 'reconnecting');
    agents[0]?.channel.end();
    await reconnecting;
    await connection.ready;
    expect(connection.state).toBe('open');
    expect(agents[1]?.calls('session/resume')).toHaveLength(1);
    await session.prompt('Go on.').accepted;
  });

  test('rejects when the connection is closed, also during a reconnect', async () => {
    const { connection, agents } = await connectWith((agent) => agent);
    const reconnecting = reaches(connection, 'reconnecting');
    agents[0]?.channel.end();
    await reconnecting;
    const ready = connection.ready;
    const rejected = expect(ready).rejects.toMatchObject({ code: 'connection.closed' });
    await connection.close();
    await rejected;
    await expect(connection.ready).rejects.toMatchObject({ code: 'connection.closed' });
  });

  test('causes no unhandled rejection if it is only read', async () => {
    const unhandled = unhandledErrors();
    const { connection } = await connectWith((agent) => agent);
    await connection.close();
    void connection.ready;
    await settle();
    expect(unhandled).toEqual([]);
  });
});

test('during a reconnect cancel resolves, and a prompt is refused with what to wait for', async () => {
  const { connection, agents } = await connectWith(
    (agent) => agent.on('session/new', { sessionId: 's1' }),
    (agent) => agent.on('session/resume', {}),
  );
  const session = await connection.newSession({ cwd });
  const reconnecting = reaches(connection, 'reconnecting');
  agents[0]?.channel.end();
  await reconnecting;
  await expect(session.cancel()).resolves.toBeUndefined();
  await expect(session.prompt('Go on.')).rejects.toMatchObject({
    code: 'usage.state',
    message: expect.stringContaining('connection.ready'),
  });
  await connection.ready;
  expect(agents[1]?.calls('session/cancel')).toEqual([]);
});

test('a reconnect while the agent waits for the user ends the request', async () => {
  let withdrawn: AbortSignal | undefined;
  const agents: ScriptedAgent[] = [];
  const made = await connect(
    () => {
      const agent = scriptedAgent()
        .on('initialize', everything.v1)
        .on('session/new', { sessionId: 's1' })
        .on('session/resume', {});
      agents.push(agent);
      return agent.transport;
    },
    {
      clientInfo,
      reconnect: quick,
      handlers: {
        requestPermission: (_request, { signal }) => {
          withdrawn = signal;
          return new Promise(() => {});
        },
      },
    },
  );
  connection = made;
  const session = await made.newSession({ cwd });
  agents[0]
    ?.request('session/request_permission', {
      sessionId: 's1',
      toolCall: { toolCallId: 't1', title: 'Write' },
      options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
    })
    .catch(() => {});
  await settle();
  expect(session.conversation.activity.state).toBe('requires_action');
  const open = reaches(made, 'open');
  agents[0]?.channel.exit();
  await open;
  expect(withdrawn?.aborted).toBe(true);
  expect(session.conversation).toMatchObject({
    activity: { state: 'idle' },
    entries: [{ toolCallId: 't1', permission: null, status: 'cancelled' }],
  });
});
