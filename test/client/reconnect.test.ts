import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import type { ClientConnection, ConnectionState } from '../../src/client/connection.ts';
import type { ReconnectOptions } from '../../src/client/reconnect.ts';
import type { Diagnostic } from '../../src/diagnostic.ts';
import { type ScriptedAgent, scriptedAgent, silence } from '../../src/testing/scripted-agent.ts';
import { everything, nothing, settle, text } from '../support/agents.ts';

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

test('the same session goes on, its transcript whole and the gap marked', async () => {
  const { connection, agents, states } = await connectWith(
    (agent) =>
      agent.on('session/new', (_params, agent, id) => {
        agent.answer(id, { sessionId: 's1' });
        agent.update('s1', say('before the crash'));
        return silence;
      }),
    (agent) => agent.on('session/resume', {}).on('session/prompt', { messageId: 'u1' }),
  );
  const session = await connection.newSession({ cwd, additionalDirectories: ['/more'] });
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
  expect(session.conversation.getSnapshot().entries).toMatchObject([
    { content: [text('before the crash')] },
    { kind: 'unknown', tag: '_reconnected', raw: { restoredBy: 'resumeSession' } },
  ]);
  await session.prompt('Go on.').accepted;
  expect(agents[1]?.calls('session/prompt')).toHaveLength(1);
});

test('a prompt under way rejects, says what is known of it, and is not sent again', async () => {
  const { connection, agents } = await connectWith(
    (agent) =>
      agent
        .on('session/new', { sessionId: 's1' })
        .on('session/prompt', ({ prompt }) =>
          JSON.stringify(prompt).includes('taken') ? { messageId: 'u1' } : silence,
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

test('a version 1 agent that had begun to work had taken the prompt', async () => {
  const tool = { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Write' };
  const agent = scriptedAgent()
    .on('initialize', everything.v1)
    .on('session/new', { sessionId: 's1' })
    .on('session/prompt', (_params, agent) => {
      agent.update('s1', tool);
      agent.channel.end();
      return silence;
    });
  connection = await connect(agent.transport, { clientInfo });
  const session = await connection.newSession({ cwd });
  await expect(session.prompt('Write it.')).rejects.toMatchObject({
    promptAccepted: true,
    message: expect.stringContaining('had begun to work on the prompt'),
  });
});

test('meanwhile calls are refused, and nothing is sent', async () => {
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

test('after the last attempt the connection is closed, with the reason', async () => {
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
  expect(session.closed).toBe(true);
});

test('a session that cannot be restored ends, and the others go on', async () => {
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
  expect([lost.closed, kept.closed]).toEqual([true, false]);
  expect(connection.sessions).toEqual([kept]);
});

test('an agent that never stays up is given up, and its sessions are kept until then', async () => {
  // However slow the machine is, no run is so long that it counts as one that stays.
  const impatient = { ...quick, maxDelayMs: 600_000 };
  const { connection, agents, states } = await connectAsking(
    impatient,
    (agent) => agent.on('session/new', { sessionId: 's1' }),
    ...Array.from({ length: quick.maxAttempts }, () => (agent: ScriptedAgent) => {
      agent.on('session/resume', () => {
        agent.channel.end();
        return silence;
      });
    }),
  );
  const session = await connection.newSession({ cwd });
  agents[0]?.channel.end();
  await connection.closed;
  expect(states.at(-1)).toBe('closed');
  expect(agents).toHaveLength(1 + quick.maxAttempts);
  expect(agents.slice(1).map((agent) => agent.calls('session/resume').length)).toEqual([1, 1, 1]);
  expect(session.closed).toBe(true);
});

test('many restarts leave no listeners behind', async () => {
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
      // Longer than the longest pause: a run like this counts as one that stays.
      await settle(quick.maxDelayMs + 1);
    }
  } finally {
    Object.assign(AbortSignal.prototype, { addEventListener, removeEventListener });
  }
  expect(added.length).toBeGreaterThanOrEqual(restarts);
  expect(removed).toEqual(added);
});

test('close while reconnecting ends it', async () => {
  const { connection, agents } = await connectWith((agent) => agent);
  const reconnecting = reaches(connection, 'reconnecting');
  agents[0]?.channel.end();
  await reconnecting;
  await connection.close();
  expect(connection.state).toBe('closed');
});

test('off unless asked for, and it needs a way to start the agent', async () => {
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
