import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import type { TimeoutError } from '../../../src/core/base/errors.ts';
import { watchInitialize } from '../../../src/core/client/calls/initialize-timeout.ts';
import { memoryTransport } from '../../../src/core/transport/memory/memory-transport.ts';

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
])('[reliability: initialize-time] an agent that %s is given up after %i ms', async (_, limitMs, written) => {
  const { transport, agent } = memoryTransport();
  let error: unknown;
  connect(transport, { clientInfo: { name: 'test', version: '0' }, onDiagnostic() {} }).catch((thrown) => {
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
});

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
