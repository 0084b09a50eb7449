import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect } from '../../src/client/connect.ts';
import { startWaiting } from '../../src/client/patience.ts';
import type { TimeoutError } from '../../src/errors.ts';
import { memoryTransport } from '../../src/testing/memory-transport.ts';
import type { Transport } from '../../src/transport/transport.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const patience = { silenceMs: 1000, limitMs: 3500 };

function wait(leaving?: AbortSignal) {
  const transport: Transport = memoryTransport().transport;
  const waiting = startWaiting(patience, transport, leaving);
  return { transport, waiting, reason: () => waiting.signal.reason as TimeoutError | undefined };
}

test('an agent that shows no life is given up after the silence', () => {
  const { waiting, reason } = wait();
  vi.advanceTimersByTime(999);
  expect(waiting.signal.aborted).toBe(false);
  vi.advanceTimersByTime(2);
  expect(reason()).toMatchObject({ code: 'timeout', method: 'initialize', timeoutMs: 1000 });
  expect(reason()?.message).toContain('initializeTimeoutMs');
});

test('signs of life start the count anew, up to the limit', () => {
  const { transport, waiting, reason } = wait();
  for (let n = 0; n < 6; n++) {
    vi.advanceTimersByTime(500);
    transport.onActivity?.();
  }
  expect(waiting.signal.aborted).toBe(false);
  vi.advanceTimersByTime(501);
  expect(reason()).toMatchObject({ code: 'timeout', timeoutMs: 3500 });
  expect(reason()?.message).toContain('initializeLimitMs');
});

test('silence after signs of life says so', () => {
  const { transport, reason } = wait();
  vi.advanceTimersByTime(500);
  transport.onActivity?.();
  vi.advanceTimersByTime(1001);
  expect(reason()?.message).toContain('last sign of life');
});

test('an answer leaves nothing behind', () => {
  const { transport, waiting } = wait();
  waiting.stop();
  expect(vi.getTimerCount()).toBe(0);
  expect(transport.onActivity).toBeUndefined();
});

test('whoever leaves ends the wait with a reason of their own', () => {
  const control = new AbortController();
  const { reason } = wait(control.signal);
  control.abort('gone');
  expect(reason()).toBe('gone');
  expect(wait(AbortSignal.abort('early')).reason()).toBe('early');
});

test.each(['initializeTimeoutMs', 'initializeLimitMs', 'stallAfterMs'])('%s must be a time', async (name) => {
  const { transport } = memoryTransport();
  const options = { clientInfo: { name: 'test', version: '0' }, [name]: 0 };
  await expect(connect(transport, options)).rejects.toMatchObject({
    code: 'usage.params',
    message: expect.stringContaining(name),
  });
});
