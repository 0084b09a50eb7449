import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { TimeoutError } from '../../../src/core/base/errors.ts';
import { type Deferred, deferred } from '../../../src/core/base/wait.ts';
import { watchInitialize } from '../../../src/core/client/calls/initialize-timeout.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import type { ClientConnection, ConnectionState } from '../../../src/core/client/connection.ts';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';
import { defaultCloseTimeoutMs, type Transport } from '../../../src/core/transport/transport.ts';
import { noAnswer, type ScriptedAgent, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, settle } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';

const clientInfo = { name: 'test', version: '0' };

describe('a close that hangs', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const never = () => new Promise<void>(() => {});

  /** What the promise came to. */
  function observed(promise: PromiseLike<unknown>): { outcome: unknown } {
    const seen: { outcome: unknown } = { outcome: 'pending' };
    promise.then(
      () => {
        seen.outcome = 'resolved';
      },
      (error: unknown) => {
        seen.outcome = error;
      },
    );
    return seen;
  }

  /** A transport that never ends, whose `close` does this. */
  function setUp(close: Transport['close'], change: Partial<Transport> = {}) {
    const agent = scriptedAgent()
      .on('initialize', everything.v1)
      .on('session/new', { sessionId: 's1' })
      .on('session/prompt', () => noAnswer);
    const transport: Transport = {
      listen: (listener) => agent.transport.listen(listener),
      send: (message) => agent.transport.send(message),
      ended: new Promise(() => {}),
      close,
      ...change,
    };
    const diagnostics: Diagnostic[] = [];
    const options: ConnectOptions = {
      clientInfo,
      initializeIdleTimeoutMs: 100,
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    };
    const failures = () =>
      diagnostics.filter(({ rule }) => rule === 'transport.close_failed').map(({ message }) => message);
    return { agent, transport, options, failures };
  }

  /** Lets a second more pass than the waits for the transport: messages that are under way have this time to arrive. */
  async function pass(ms: number): Promise<void> {
    for (const stretch of [ms, 1000, 1000]) {
      await settle();
      await vi.advanceTimersByTimeAsync(stretch);
    }
    await settle();
  }

  describe.each<[string, Transport['close'], string]>([
    ['never settles', never, 'it did not settle within 10000 ms'],
    ['rejects', async () => Promise.reject(new Error('stuck')), 'stuck'],
    [
      'throws',
      () => {
        throw new Error('stuck');
      },
      'stuck',
    ],
  ])('[reliability: hanging-close] a transport whose close %s', (_, close, why) => {
    test('does not keep connection.close() or an open prompt', async () => {
      const { transport, options, failures } = setUp(close);
      const connection = await connect(transport, options);
      const session = await connection.newSession({ cwd: '/' });
      const prompt = observed(session.prompt('x'));
      await settle();
      const closing = observed(connection.close());
      await pass(defaultCloseTimeoutMs);
      expect(closing.outcome).toBe('resolved');
      expect(prompt.outcome).toMatchObject({ code: 'connection.closed' });
      expect(connection).toMatchObject({ state: 'closed', isClosed: true });
      expect(failures()).toEqual([expect.stringContaining(`close() of the transport failed: ${why}`)]);
    });

    test('does not replace the error of connect', async () => {
      const { agent, transport, options, failures } = setUp(close);
      agent.on('initialize', () => noAnswer);
      const connecting = observed(connect(transport, options));
      await pass(100);
      await pass(defaultCloseTimeoutMs);
      expect(connecting.outcome).toBeInstanceOf(TimeoutError);
      expect(connecting.outcome).toMatchObject({ method: 'initialize' });
      expect(failures()).toHaveLength(1);
    });

    test('does not replace the error about wrong options', async () => {
      const { transport } = setUp(close);
      const connecting = observed(connect(transport, { clientInfo, sginal: 1 } as never));
      await pass(defaultCloseTimeoutMs);
      expect(connecting.outcome).toMatchObject({ code: 'usage.params' });
    });

    test('does not keep calls open after the agent broke the channel', async () => {
      const { transport, options, failures } = setUp(close);
      const connection = await connect(transport, options);
      transport.send = async () => {
        throw new Error('write EPIPE');
      };
      const call = observed(connection.newSession({ cwd: '/' }));
      await pass(defaultCloseTimeoutMs);
      expect(call.outcome).toMatchObject({ code: 'connection.closed' });
      expect(failures()).toHaveLength(1);
    });
  });

  test('[reliability: hanging-close] closeTimeoutMs of the transport is the limit', async () => {
    const { transport, options } = setUp(never, { closeTimeoutMs: 60_000 });
    const connection = await connect(transport, options);
    const closing = observed(connection.close());
    await pass(defaultCloseTimeoutMs);
    expect(closing.outcome).toBe('pending');
    await pass(60_000);
    expect(closing.outcome).toBe('resolved');
  });
});

describe('a start that hangs', () => {
  const reconnect = { firstDelayMs: 0 };

  let connection: ClientConnection | undefined;
  afterEach(() => connection?.close());

  /** A transport of an agent, and how often it was closed. */
  function closable(): { readonly transport: Transport; readonly closes: () => number } {
    const { transport } = scriptedAgent().on('initialize', everything.v1);
    let closes = 0;
    const close = transport.close.bind(transport);
    transport.close = () => {
      closes++;
      return close();
    };
    return { transport, closes: () => closes };
  }

  describe('[reliability: hanging-start] a start function that does not return', () => {
    test('connect rejects with the reason of its signal, and closes a transport that arrives later', async () => {
      const { promise: started, resolve } = deferred<Transport>();
      const control = new AbortController();
      const connecting = connect(() => started, { clientInfo, signal: control.signal });
      await settle();
      control.abort('enough');
      await expect(connecting).rejects.toBe('enough');
      const { transport, closes } = closable();
      resolve(transport);
      await settle();
      expect(closes()).toBe(1);
    });

    test.each<[string, (start: Deferred<Transport>) => void]>([
      ['the function throws', ({ reject }) => reject(new Error('too late'))],
      [
        'close of the transport throws',
        ({ resolve }) => {
          const close = () => {
            throw new Error('stuck');
          };
          resolve(Object.assign(closable().transport, { close }));
        },
      ],
    ])('connect ignores what %s after the signal was aborted', async (_, settleLate) => {
      const start = deferred<Transport>();
      const control = new AbortController();
      const connecting = connect(() => start.promise, { clientInfo, signal: control.signal });
      control.abort('enough');
      await expect(connecting).rejects.toBe('enough');
      settleLate(start);
      // An unhandled rejection would fail the test run.
      await settle();
    });
  });

  describe('[reliability: hanging-start] close() while the agent is started again', () => {
    /** A connection whose agent crashed, and is being started again. */
    async function crashed(restart: () => Transport | Promise<Transport>) {
      const restarted = deferred();
      const agents: ScriptedAgent[] = [];
      const newAgent = () => {
        const agent = scriptedAgent()
          .on('initialize', everything['v2-baseline'])
          .on('session/new', { sessionId: 's1' })
          .on('session/prompt', () => noAnswer);
        agents.push(agent);
        return agent.transport;
      };
      const start = () => {
        if (agents.length === 0) return newAgent();
        restarted.resolve();
        return restart();
      };
      const made = await connect(start, { clientInfo, reconnect });
      connection = made;
      const states: ConnectionState[] = [];
      made.onStateChange((state) => states.push(state));
      const session = await made.newSession({ cwd });
      const turn = session.prompt('Begin.').catch((error: unknown) => error);
      agents[0]?.channel.exit();
      await restarted.promise;
      await settle();
      return { made, states, session, turn };
    }

    test('settles when the start function never returns, and closes a transport that arrives later', async () => {
      const { promise: started, resolve } = deferred<Transport>();
      const { made, states, session, turn } = await crashed(() => started);
      expect(states).toEqual(['reconnecting']);
      await made.close();
      expect(await turn).toMatchObject({ code: 'connection.closed', promptAccepted: false });
      expect(await made.closed).toBeDefined();
      await expect(made.ready).rejects.toMatchObject({ code: 'connection.closed' });
      expect([states.at(-1), session.isClosed]).toEqual(['closed', true]);
      const { transport, closes } = closable();
      resolve(transport);
      await settle();
      expect(closes()).toBe(1);
    });

    test('settles when the new agent does not answer initialize', async () => {
      const { transport, closes } = closable();
      transport.send = () => new Promise(() => {});
      const { made, states } = await crashed(() => transport);
      await made.close();
      expect([states.at(-1), closes()]).toEqual(['closed', 1]);
    });

    test('settles when the new agent does not answer session/resume', async () => {
      const agent = scriptedAgent()
        .on('initialize', everything['v2-baseline'])
        .on('session/resume', () => noAnswer);
      const { made, states, session } = await crashed(() => agent.transport);
      await agent.called('session/resume');
      await made.close();
      expect([states.at(-1), session.isClosed]).toEqual(['closed', true]);
    });
  });
});

describe('initialize without an answer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const timeout = { idleMs: 1000, totalMs: 3500 };

  function wait(caller?: AbortSignal) {
    const waiting = watchInitialize(timeout, caller);
    return { waiting, reason: () => waiting.signal.reason as TimeoutError | undefined };
  }

  test('[reliability: initialize-time] output restarts the idle time, up to the total limit', () => {
    const { waiting, reason } = wait();
    for (let n = 0; n < 6; n++) {
      vi.advanceTimersByTime(500);
      waiting.onActivity();
    }
    expect(waiting.signal.aborted).toBe(false);
    vi.advanceTimersByTime(501);
    expect(reason()).toMatchObject({ code: 'timeout', timeoutMs: 3500 });
    expect(reason()?.message).toContain('initializeTotalTimeoutMs');
  });

  test.each([
    ['writes nothing', 120_000, ''],
    ['writes something each minute', 300_000, 'loading\n'],
  ])(
    '[reliability: initialize-time] an agent that %s is given up after %i ms',
    async (_, limitMs, written) => {
      const { transport, agent } = memoryTransport();
      let error: unknown;
      connect(transport, { clientInfo, onDiagnostic() {} }).catch((thrown) => {
        error = thrown;
      });
      for (let ms = 0; ms < limitMs; ms += 60_000) {
        expect(error).toBeUndefined();
        if (written !== '') agent.write(written);
        await vi.advanceTimersByTimeAsync(60_000 - 1);
      }
      expect(error).toBeUndefined();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(error).toMatchObject({ code: 'timeout', timeoutMs: limitMs });
    },
  );

  test('the error says that the agent had written something before', () => {
    const { waiting, reason } = wait();
    vi.advanceTimersByTime(500);
    waiting.onActivity();
    vi.advanceTimersByTime(1001);
    expect(reason()?.message).toContain('after it last wrote something');
  });

  test('stopping the watch leaves no timer behind', () => {
    const { waiting } = wait();
    waiting.stop();
    expect(vi.getTimerCount()).toBe(0);
  });
});
