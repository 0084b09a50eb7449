import { describe, expect, test } from 'vitest';
import { type AcpError, ConnectionClosedError, InvalidParamsError } from '../../../src/core/base/errors.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import { LateTransport } from '../../../src/core/transport/late-transport.ts';
import { pausable } from '../../../src/core/transport/queued-transport.ts';
import {
  closeTransport,
  type Transport,
  type TransportEnd,
  type TransportListener,
} from '../../../src/core/transport/transport.ts';
import { listened } from '../../support/listened.ts';

/** A transport that tells which calls it gets, and has the members that the test gives. */
function scripted(more: Partial<Transport> = {}) {
  const calls: unknown[] = [];
  const end = deferred<TransportEnd>();
  let listener: TransportListener | undefined;
  const transport: Transport = {
    listen: (given) => {
      listener = given;
      calls.push('listen');
    },
    send: async (message) => void calls.push(message),
    close: async () => void calls.push('close'),
    ended: end.promise,
    ...more,
  };
  return { transport, calls, end, listener: () => listener as TransportListener };
}

const quiet: TransportListener = { onMessage() {}, onDiagnostic() {}, onActivity() {} };

/** Lets what is ready happen. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a transport that is made later', () => {
  /** One whose transport is made when the test says so. */
  function late() {
    const made = deferred<Transport>();
    const given: { listening?: Promise<TransportListener>; signal?: AbortSignal } = {};
    const transport = new LateTransport(async (listening, signal) => {
      Object.assign(given, { listening, signal });
      return made.promise;
    });
    return { transport, made, given };
  }

  test('gets what was asked of it before, in order, and everything later', async () => {
    const { transport, made, given } = late();
    const calls: unknown[] = [];
    const confirmEnd = async (signal: AbortSignal) => void calls.push(signal);
    const pause = () => void calls.push('pause');
    const resume = () => void calls.push('resume');
    const inner = scripted({ pause, resume, confirmEnd, queuedBytes: 7 });
    const { signal } = new AbortController();
    transport.pause();
    transport.listen(quiet);
    expect(await given.listening).toBe(quiet);
    await transport.confirmEnd(signal);
    expect([transport.queuedBytes, transport.isRemote]).toEqual([0, true]);
    const sent = [transport.send({ a: 1 }), transport.send({ b: 2 })];
    made.resolve(inner.transport);
    await Promise.all(sent);
    expect(inner.calls).toEqual(['listen', { a: 1 }, { b: 2 }]);
    expect(calls).toEqual(['pause']);
    transport.resume();
    transport.pause();
    await transport.confirmEnd(signal);
    expect(calls).toEqual(['pause', 'resume', 'pause', signal]);
    expect(transport.queuedBytes).toBe(7);
    inner.end.resolve({ exit: { exitCode: 0, signal: null, stderrTail: '' } });
    expect(await transport.ended).toHaveProperty('exit');
  });

  test('is not paused if it was resumed before, and need not have more than it must', async () => {
    const { transport, made, given } = late();
    const inner = scripted();
    transport.pause();
    transport.resume();
    made.resolve({ ...inner.transport, pause: () => void inner.calls.push('pause') });
    await turn();
    expect(inner.calls).toEqual([]);
    transport.resume();
    await transport.confirmEnd(new AbortController().signal);
    expect(transport.queuedBytes).toBe(0);
    expect(given.signal?.aborted).toBe(false);
    await transport.close();
    expect(given.signal?.aborted).toBe(true);
    expect(inner.calls).toEqual(['close']);

    const bare = late();
    const least = scripted();
    bare.transport.pause();
    bare.made.resolve(least.transport);
    await bare.transport.send({ a: 1 });
    bare.transport.pause();
    expect(least.calls).toEqual([{ a: 1 }]);
  });

  test('is not paused without a call of pause', async () => {
    const { transport, made } = late();
    const inner = scripted();
    made.resolve({ ...inner.transport, pause: () => void inner.calls.push('pause') });
    await transport.send({ a: 1 });
    expect(inner.calls).toEqual([{ a: 1 }]);
  });

  test.each([
    ['of the library', new InvalidParamsError('wrong'), { code: 'usage.params', message: 'wrong' }],
    [
      'of something else',
      new Error('no network'),
      {
        code: 'connection.closed',
        message: 'The connection to the server failed.',
        cause: { message: 'no network' },
      },
    ],
  ])('that is not made ends with the error %s, and nothing rejects', async (_, error, expected) => {
    const { transport, made } = late();
    const sent = transport.send({});
    await expect(transport.send({ big: 1n })).rejects.toThrow(TypeError);
    made.reject(error);
    await sent;
    await transport.close();
    expect((await transport.ended).error).toMatchObject(expected);
  });
});

describe('a transport that cannot be paused', () => {
  test.each([
    ['both', { pause() {}, resume() {} }, true],
    ['no resume', { pause() {} }, false],
    ['no pause', { resume() {} }, false],
  ])('is given a queue: with %s', (_, members, isSame) => {
    const { transport } = scripted(members);
    expect(pausable(transport) === transport).toBe(isSame);
  });

  test('keeps messages, failures and losses in their order while it is paused, and ends after them', async () => {
    const inner = scripted();
    const transport = pausable(inner.transport);
    const happened: unknown[] = [];
    const error = new ConnectionClosedError('lost');
    transport.listen({
      ...quiet,
      onMessage: (message) => void happened.push(message),
      onActivity: () => void happened.push('activity'),
      onRequestFailed: (id, cause) => void happened.push([id, cause]),
      onSessionLost: (loss) => void happened.push(loss),
    });
    const loss = { sessionId: 's1', error, canReturn: true };
    const say = () => {
      inner.listener().onMessage({ a: 1 });
      inner.listener().onRequestFailed?.(1, error);
      inner.listener().onSessionLost?.(loss);
      inner.listener().onMessage({ b: 2 });
    };
    say();
    expect(happened.splice(0)).toEqual([{ a: 1 }, [1, error], loss, { b: 2 }]);
    transport.pause();
    say();
    inner.listener().onActivity();
    inner.end.resolve({ error });
    await turn();
    expect(happened.splice(0)).toEqual(['activity']);
    let ended: { error?: AcpError } | undefined;
    void transport.ended.then((end) => {
      ended = end;
    });
    await turn();
    expect(ended).toBe(undefined);
    transport.resume();
    expect(happened).toEqual([{ a: 1 }, [1, error], loss, { b: 2 }]);
    expect(await transport.ended).toEqual({ error });
    await transport.send({ c: 3 });
    await transport.close();
    expect(inner.calls).toEqual(['listen', { c: 3 }, 'close']);
  });

  test('drops failures and losses that nothing listens to', () => {
    const inner = scripted();
    const { received, diagnostics } = listened(pausable(inner.transport));
    const error = new ConnectionClosedError('lost');
    inner.listener().onRequestFailed?.(1, error);
    inner.listener().onSessionLost?.({ sessionId: 's1', error, canReturn: true });
    expect([received, diagnostics]).toEqual([[], []]);
  });
});

describe('the close of a transport', () => {
  test.each([
    ['that rejects', { close: () => Promise.reject(new Error('busy')) }, 'failed: busy.'],
    [
      'that throws',
      {
        close: () => {
          throw new Error('busy');
        },
      },
      'failed: busy.',
    ],
    [
      'that takes too long',
      { close: () => new Promise<void>(() => {}), closeTimeoutMs: 1 },
      'did not settle within 1 ms',
    ],
  ])('%s is reported', async (_, members, message) => {
    const reports: unknown[] = [];
    await closeTransport(scripted(members).transport, (report) => void reports.push(report));
    expect(reports).toMatchObject([
      { rule: 'transport.close_failed', severity: 'error', message: expect.stringContaining(message) },
    ]);
  });

  test('that works is not reported', async () => {
    const { transport, calls } = scripted();
    await closeTransport(transport, () => void calls.push('reported'));
    expect(calls).toEqual(['close']);
  });
});
