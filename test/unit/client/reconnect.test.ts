import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';
import { connectRestarting, crash, reaches } from '../../support/restarting-agent.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';
import { says } from '../../support/updates.ts';

const clientInfo = { name: 'test', version: '0' };
// An agent on this machine is not given up after a time.
const quick = { firstDelayMs: 1, maxDelayMs: 5, maxAttempts: 3, giveUpAfterMs: 0 };
/** However slow the machine is, no run is so long that it counts as one that stays. */
const impatient = { ...quick, maxDelayMs: 600_000 };

/** An agent of version 2 that starts this often, and ends at once in each later start. */
const startsTimes =
  (times: number, script: (agent: ScriptedAgent, run: number) => unknown = () => {}) =>
  (agent: ScriptedAgent, run: number) => {
    if (run >= times) return agent.channel.end();
    script(agent.on('initialize', everything['v2-baseline']), run);
  };

const connectWith = (times: number, options: Partial<ConnectOptions> = {}) =>
  connectRestarting(startsTimes(times), options);

test('a prompt that a line ends which is too long rejects with that error, and the agent is started again', async () => {
  const agents: ScriptedAgent[] = [];
  const start = () => {
    const agent = scriptedAgent({ maxLineBytes: 2000 })
      .on('initialize', everything.v1)
      .on('session/new', { sessionId: 's1' })
      .on('session/resume', {})
      .on('session/prompt', (_, agent) => {
        agent.update('s1', says('x'.repeat(3000)));
        return noAnswer;
      });
    agents.push(agent);
    return agent.transport;
  };
  await using connection = await connect(start, { clientInfo, reconnect: quick });
  const session = await connection.newSession({ cwd });
  await expect(session.prompt('Go on.')).rejects.toMatchObject({ code: 'protocol.message_too_large' });
  await connection.ready;
  expect(agents).toHaveLength(2);
  expect(session.isClosed).toBe(false);
  const reason = expect.stringMatching(/^The agent sent a line longer than 2000 bytes.*messages\.$/);
  expect(session.conversation.entries.at(-1)).toMatchObject({ cause: 'interrupted', reason });
});

test('[reliability: attempts] the connection closes after the last attempt, with the reason', async () => {
  const { connection, agents, states, diagnostics } = await connectWith(1);
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

test('[reliability: attempts] an agent that exits again and again is given up, and its sessions are kept until then', async () => {
  const script = startsTimes(1 + quick.maxAttempts, (agent) =>
    agent.on('session/resume', () => {
      vi.advanceTimersByTime(impatient.maxDelayMs);
      agent.channel.end();
      return noAnswer;
    }),
  );
  vi.useFakeTimers({ toFake: ['performance'] });
  const { connection, agents, states } = await connectRestarting(script, { reconnect: impatient });
  const session = await connection.newSession({ cwd });
  // That it stayed the first time does not count for the next ones.
  vi.advanceTimersByTime(impatient.maxDelayMs + 1);
  agents[0]?.channel.end();
  await connection.closed;
  expect(states.at(-1)).toBe('closed');
  expect(agents.slice(1).map((agent) => agent.calls('session/resume').length)).toEqual([1, 1, 1]);
  expect(session.isClosed).toBe(true);
});

test.each([
  ['the last attempt', async () => {}],
  ['close', (connection: ClientConnection) => connection.close()],
])('calls after a reconnect that %s ended say that the connection has ended', async (_, end) => {
  const { connection, agents } = await connectWith(1);
  const reconnecting = reaches(connection, 'reconnecting');
  agents[0]?.channel.exit({ exitCode: 3 });
  await reconnecting;
  await end(connection);
  await connection.closed;
  const message = /called after the connection had ended\. Nothing was sent\..* exited with code 3/;
  const ended = { code: 'connection.closed', message: expect.stringMatching(message) };
  await expect(connection.newSession({ cwd })).rejects.toMatchObject(ended);
  await expect(connection.listSessions().page()).rejects.toMatchObject(ended);
  await expect(connection.request('_x')).rejects.toMatchObject(ended);
  await expect(connection.ready).rejects.toMatchObject({ code: 'connection.closed' });
});

test('an attempt that close ends is not reported', async () => {
  const { connection, agents, diagnostics } = await connectRestarting((agent, run) =>
    agent.on('initialize', () => (run === 0 ? everything.v1 : noAnswer)),
  );
  agents[0]?.channel.end();
  await eventually(() => agents[1]?.calls('initialize')).toHaveLength(1);
  await connection.close();
  expect(diagnostics).toEqual([]);
});

test('restarts leave no listeners', async () => {
  const restarts = 5;
  const restarting = await connectWith(restarts + 1, { reconnect: { ...quick, maxAttempts: 100 } });
  const [added, removed] = [
    vi.spyOn(AbortSignal.prototype, 'addEventListener'),
    vi.spyOn(AbortSignal.prototype, 'removeEventListener'),
  ];
  onTestFinished(() => void vi.restoreAllMocks());
  for (let n = 0; n < restarts; n++) await crash(restarting);
  const [left, gone] = [added, removed].map(({ mock }) => mock.calls.map(([, listener]) => listener));
  expect(left?.length).toBeGreaterThanOrEqual(restarts);
  expect(left?.filter((listener) => !gone?.includes(listener))).toEqual([]);
});

describe('a restart', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** Loses an agent that takes `release` to close after its end. */
  async function loseReleasing(release: Promise<void>) {
    const restarting = await connectRestarting(
      (agent, run) => {
        agent.on('initialize', everything.v1);
        if (run === 0) Object.assign(agent.transport, { close: () => release });
      },
      { reconnect: quick },
    );
    const { connection, agents } = restarting;
    const open = reaches(connection, 'open');
    agents[0]?.channel.end();
    await settle();
    await vi.advanceTimersByTimeAsync(999);
    expect(agents).toHaveLength(1);
    return { ...restarting, open };
  }

  test('waits until the crashed agent has released everything', async () => {
    const released = deferred();
    const { connection, agents, open } = await loseReleasing(released.promise);
    released.resolve();
    await settle();
    await vi.advanceTimersByTimeAsync(quick.maxDelayMs);
    await open;
    expect(agents).toHaveLength(2);
    await connection.close();
  });

  test('waits for a limited time', async () => {
    const { connection, agents, diagnostics, open } = await loseReleasing(new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(1 + quick.maxDelayMs);
    await open;
    expect(agents).toHaveLength(2);
    // The limit of the transport itself is longer.
    expect(diagnostics.map(({ rule }) => rule)).not.toContain('transport.close_failed');
    await connection.close();
  });
});

describe('connection.ready', () => {
  test('resolves at once while the connection is open, and rejects when it is closed, also during a reconnect', async () => {
    const restarting = await connectWith(1);
    const { connection } = restarting;
    await expect(connection.ready).resolves.toBeUndefined();
    await crash(restarting, 'reconnecting');
    const rejected = expect(connection.ready).rejects.toMatchObject({ code: 'connection.closed' });
    await connection.close();
    await rejected;
    expect(connection.state).toBe('closed');
    await expect(connection.ready).rejects.toMatchObject({ code: 'connection.closed' });
  });

  test('causes no unhandled rejection if it is only read', async () => {
    const unhandled = unhandledErrors();
    const { connection } = await connectWith(1);
    await connection.close();
    void connection.ready;
    await settle();
    expect(unhandled).toEqual([]);
  });
});
