import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { TimeoutError } from '../../../src/core/base/errors.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import { defaultCloseTimeoutMs, type Transport } from '../../../src/core/transport/transport.ts';
import { noAnswer, scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { everything, settle } from '../../support/agents.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const clientInfo = { name: 'test', version: '0' };
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
