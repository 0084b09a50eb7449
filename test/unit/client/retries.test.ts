import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  ConnectionClosedError,
  HttpError,
  InvalidParamsError,
  TimeoutError,
} from '../../../src/core/base/errors.ts';
import type { ReconnectOptions } from '../../../src/core/client/reconnect.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { connectRestarting } from '../../support/restarting-agent.ts';

const quick = { firstDelayMs: 1, maxDelayMs: 4 };
/** Waits that do not end within a test. */
const long = { firstDelayMs: 600_000, maxDelayMs: 2_400_000 };

afterEach(() => void vi.useRealTimers());

interface Scene {
  readonly reconnect: ReconnectOptions;
  readonly isRemote?: boolean;
  /** What goes wrong in this start, counted from 0. */
  readonly fault?: (start: number) => Error | undefined;
  /** The `confirmEnd` of each transport. */
  readonly confirmEnd?: () => Promise<void>;
}

/** Connects. `agents` are those that were reached. */
async function open({ reconnect, isRemote = false, fault, confirmEnd }: Scene) {
  const agents: ScriptedAgent[] = [];
  const restarting = await connectRestarting(
    (agent, start) => {
      const error = fault?.(start);
      if (error) throw error;
      Object.assign(agent.transport, { isRemote, ...(confirmEnd && { confirmEnd }) });
      agent.on('initialize', everything.v1).on('session/load', {}).on('session/resume', {});
      agents.push(agent.on('session/prompt', { stopReason: 'end_turn' }));
    },
    { reconnect },
  );
  return { ...restarting, agents, starts: () => restarting.agents.length };
}

/** Ends the agent that runs, and resolves when the next one is reached. */
async function lose({ connection, agents }: Awaited<ReturnType<typeof open>>) {
  const reached = agents.length + 1;
  agents.at(-1)?.channel.exit({ signal: 'SIGKILL' });
  await eventually(() => agents.length).toBe(reached);
  await connection.ready;
}

const unreachable = () => new ConnectionClosedError('The server could not be reached.');
const refused = (status: number) => new HttpError(`status ${status}`, { status, body: '' });

test('a local agent that ends a turn well before each of six crashes is started again each time', async () => {
  // However slow the machine is, no run is so long that it counts as one that stays.
  const place = await open({ reconnect: { firstDelayMs: 1, maxDelayMs: 600_000 } });
  const session = await place.connection.newSession({ cwd: '/p' });
  for (let crash = 1; crash <= 6; crash++) {
    expect((await session.prompt('hello')).stopReason).toBe('end_turn');
    await lose(place);
  }
  expect(session.isClosed).toBe(false);
});

describe('a remote agent', () => {
  test('is tried again however often it cannot be reached', async () => {
    const fault = (start: number) => (start > 0 && start < 40 ? unreachable() : undefined);
    const place = await open({ reconnect: quick, isRemote: true, fault });
    await lose(place);
    expect(place.starts()).toBe(41);
  });

  test('is given up after giveUpAfterMs, counted from the first loss if it is reached for moments only', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const fault = (start: number) => (start > 2 ? unreachable() : undefined);
    const [maxDelayMs, giveUpAfterMs] = [10, 24].map((hours) => hours * 3_600_000);
    const reconnect = { firstDelayMs: 1, maxDelayMs, giveUpAfterMs };
    const place = await open({ reconnect, isRemote: true, fault });
    const { connection, agents, states, starts } = place;
    vi.advanceTimersByTime(1);
    for (let losses = 0; losses < 2; losses++) {
      await lose(place);
      vi.advanceTimersByTime(9 * 3_600_000);
    }
    agents.at(-1)?.channel.end();
    await eventually(starts).toBeGreaterThan(3);
    vi.advanceTimersByTime(9 * 3_600_000);
    connection.reconnection.retryNow();
    await eventually(() => connection.state).toBe('closed');
    expect(states).toEqual(['reconnecting', 'open', 'reconnecting', 'open', 'reconnecting', 'closed']);
  });

  test('has all attempts and the whole time again when it was well for a day', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 0 });
    const faults = [undefined, refused(401), unreachable(), unreachable(), undefined, refused(401)];
    const reconnect = { ...quick, maxAttempts: 2 };
    const place = await open({ reconnect, isRemote: true, fault: (start) => faults[start] });
    const waits: number[] = [];
    place.connection.reconnection.onNextAttempt((at) => void (at !== null && waits.push(at - Date.now())));
    for (const attempts of [4, 2]) {
      await lose(place);
      expect(waits).toHaveLength(attempts);
      expect(waits.splice(0)[0]).toBeLessThanOrEqual(quick.firstDelayMs);
      vi.advanceTimersByTime(25 * 3600 * 1000);
    }
  });

  test.each([
    ['the status 401', refused(401)],
    ['the status 404', refused(404)],
    ['403, which closes the channel', new ConnectionClosedError('It is closed.', { cause: refused(403) })],
    ['an error of the program', new InvalidParamsError('There is no token.')],
  ])('is given up after maxAttempts failures with %s', async (_, error) => {
    const { connection, agents, starts } = await open({
      reconnect: { ...quick, maxAttempts: 2 },
      isRemote: true,
      fault: (start) => (start > 0 ? error : undefined),
    });
    agents[0]?.channel.end();
    expect(await connection.closed).toMatchObject({ error: { message: error.message } });
    expect(starts()).toBe(3);
  });

  test.each([
    ...[408, 429, 500, 502, 503, 504].map(refused),
    new ConnectionClosedError('It is closed.', { cause: refused(503) }),
    new TimeoutError('It did not answer.', { timeoutMs: 1 }),
  ])('is tried again while an attempt fails with: %s', async (error) => {
    const fault = (start: number) => (start > 0 && start < 9 ? error : undefined);
    const place = await open({ reconnect: { ...quick, maxAttempts: 2 }, isRemote: true, fault });
    await lose(place);
    expect(place.starts()).toBe(10);
  });

  test('is not opened again before its server knows of the end', async () => {
    let isKnown = false;
    const calls: string[] = [];
    const fault = () => {
      calls.push('open');
      return undefined;
    };
    const confirmEnd = async () => {
      calls.push('confirm');
      if (!isKnown) throw unreachable();
    };
    const { connection, agents } = await open({ reconnect: quick, isRemote: true, fault, confirmEnd });
    agents[0]?.channel.end();
    await eventually(() => calls.length).toBeGreaterThan(4);
    expect(calls.slice(1)).not.toContain('open');
    isKnown = true;
    await connection.ready;
    expect(calls.slice(-2)).toEqual(['confirm', 'open']);
  });

  test('gets its sessions loaded, and not resumed', async () => {
    const place = await open({ reconnect: quick, isRemote: true });
    const { connection, agents } = place;
    await connection.newSession({ cwd: '/p' });
    await lose(place);
    expect(agents[1]?.calls('session/load')).toHaveLength(1);
    expect(agents[1]?.calls('session/resume')).toEqual([]);
  });
});

describe('the wait for the next attempt', () => {
  test('is announced, has jitter, and ends with retryNow', async () => {
    const fault = (start: number) => (start === 1 ? unreachable() : undefined);
    const { connection, agents, states } = await open({ reconnect: long, isRemote: true, fault });
    const announced: (number | null)[] = [];
    connection.reconnection.onNextAttempt((at) => announced.push(at));
    expect(connection.reconnection.nextAttemptAt).toBeNull();
    const lostAt = Date.now();
    agents[0]?.channel.end();
    for (const waits of [1, 3]) {
      await eventually(() => announced.length).toBe(waits);
      const at = announced.at(-1) ?? 0;
      expect(connection.reconnection.nextAttemptAt).toBe(at);
      expect(at).toBeGreaterThanOrEqual(lostAt + 300_000);
      expect(at).toBeLessThanOrEqual(Date.now() + 600_000);
      connection.reconnection.retryNow();
    }
    await connection.ready;
    expect(connection.reconnection.nextAttemptAt).toBeNull();
    expect(states).toEqual(['reconnecting', 'open']);
    // Nothing to begin: this has no effect.
    connection.reconnection.retryNow();
    expect(connection.state).toBe('open');
  });

  test.each(['as it begins', 'during it'])(
    'is left out if retryNow was called in the attempt before, %s',
    async (when) => {
      const fault = (start: number) => {
        if (start === 1 && when === 'during it') reconnection.retryNow();
        return start === 1 || start === 2 ? unreachable() : undefined;
      };
      const place = await open({ reconnect: long, isRemote: true, fault });
      const { reconnection } = place.connection;
      let waits = 0;
      reconnection.onNextAttempt((at) => {
        if (at !== null) waits++;
        if (at !== null || (place.starts() === 1 && when === 'as it begins')) reconnection.retryNow();
      });
      await lose(place);
      expect([place.starts(), waits]).toEqual([4, 2]);
    },
  );

  test('ends with the connection, and no agent is started', async () => {
    const { connection, agents, starts } = await open({ reconnect: long });
    agents[0]?.channel.end();
    await eventually(() => connection.reconnection.nextAttemptAt !== null).toBe(true);
    await connection.close();
    expect(starts()).toBe(1);
  });

  test.each([
    ['grows to six times maxDelayMs when the server could not be reached for five minutes', true],
    ['does not grow beyond maxDelayMs for an agent on this machine', false],
  ])('%s', async (_, isRemote) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 0 });
    const fault = (start: number) => (start > 0 ? unreachable() : undefined);
    const reconnect = { ...quick, maxAttempts: Number.POSITIVE_INFINITY };
    const { connection, agents } = await open({ reconnect, isRemote, fault });
    const waits: number[] = [];
    connection.reconnection.onNextAttempt((at) => void (at !== null && waits.push(at - Date.now())));
    agents[0]?.channel.end();
    for (const [minutes, factor] of [
      [0, 1],
      [4, 1],
      [6, isRemote ? 6 : 1],
    ] as const) {
      vi.advanceTimersByTime(minutes * 60_000);
      waits.length = 0;
      await eventually(() => waits.length).toBeGreaterThan(8);
      // Half of each wait is random.
      expect(Math.max(...waits)).toBeGreaterThanOrEqual((factor / 2) * quick.maxDelayMs);
      expect(Math.max(...waits)).toBeLessThanOrEqual(factor * quick.maxDelayMs);
    }
  });

  test('ends when the page is online again', async () => {
    const page = new EventTarget();
    const removed = vi.spyOn(page, 'removeEventListener');
    for (const name of ['addEventListener', 'removeEventListener'] as const)
      vi.stubGlobal(name, page[name].bind(page));
    onTestFinished(() => void vi.unstubAllGlobals());
    const { connection, agents } = await open({ reconnect: long, isRemote: true });
    agents[0]?.channel.end();
    await eventually(() => connection.reconnection.nextAttemptAt !== null).toBe(true);
    page.dispatchEvent(new Event('online'));
    await connection.ready;
    expect(agents).toHaveLength(2);
    expect(removed.mock.calls).toEqual([['online', expect.any(Function)]]);
  });
});
