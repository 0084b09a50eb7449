import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  abortWith,
  delay,
  IdleTimer,
  maxTimerMs,
  onAbort,
  settlesWithin,
  withLimits,
} from '../../../src/core/base/wait.ts';

const never = new Promise<never>(() => {});
const listenersOf = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('onAbort', () => {
  test('adds one listener to a signal, however many calls share it', () => {
    const control = new AbortController();
    const called: number[] = [];
    const stops = Array.from({ length: 100 }, (_, index) =>
      onAbort(control.signal, () => called.push(index)),
    );
    expect(listenersOf(control.signal)).toBe(1);
    stops[0]?.();
    stops[0]?.();
    expect(listenersOf(control.signal)).toBe(1);
    control.abort();
    expect(called).toEqual(Array.from({ length: 99 }, (_, index) => index + 1));
  });

  test('removes the listener of the signal with the last one that shares it', () => {
    const { signal } = new AbortController();
    const stops = [onAbort(signal, () => {}), onAbort(signal, () => {})];
    for (const stop of stops) stop();
    expect(listenersOf(signal)).toBe(0);
  });

  test('listens again after all stopped', () => {
    const control = new AbortController();
    onAbort(control.signal, () => {})();
    const listener = vi.fn();
    onAbort(control.signal, listener);
    control.abort();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  test('a call that stops twice does not stop those that came after it', () => {
    const { signal } = new AbortController();
    const stop = onAbort(signal, () => {});
    stop();
    onAbort(signal, () => {});
    stop();
    onAbort(signal, () => {});
    expect(listenersOf(signal)).toBe(1);
  });

  test('does nothing without a signal', () => {
    const listener = vi.fn();
    onAbort(undefined, listener)();
    expect(listener).not.toHaveBeenCalled();
  });
});

describe('abortWith', () => {
  test('aborts with the reason of a signal, also if that was aborted before', () => {
    const caller = new AbortController();
    const controls = [new AbortController(), new AbortController()] as const;
    const stop = abortWith(controls[0], caller.signal);
    expect(controls[0].signal.aborted).toBe(false);
    caller.abort('changed its mind');
    abortWith(controls[1], caller.signal);
    expect(controls.map(({ signal }) => signal.reason)).toEqual(['changed its mind', 'changed its mind']);
    stop();
  });

  test('can be stopped, and leaves no listener behind', () => {
    const caller = new AbortController();
    const control = new AbortController();
    abortWith(control, caller.signal)();
    abortWith(control, undefined)();
    expect(listenersOf(caller.signal)).toBe(0);
    caller.abort();
    expect(control.signal.aborted).toBe(false);
  });
});

describe('withLimits', () => {
  test('settles as the promise does, and leaves neither a timer nor a listener', async () => {
    const { signal } = new AbortController();
    const limits = { signal, timeoutMs: 1000, timeoutError: () => new Error('too late') };
    await expect(withLimits(Promise.resolve(7), limits)).resolves.toBe(7);
    await expect(withLimits(Promise.reject(new Error('failed')), limits)).rejects.toThrow('failed');
    expect(vi.getTimerCount()).toBe(0);
    expect(listenersOf(signal)).toBe(0);
  });

  test('rejects with the error of the limit', async () => {
    const { signal } = new AbortController();
    const waiting = withLimits(never, { signal, timeoutMs: 1000, timeoutError: () => new Error('too late') });
    vi.advanceTimersByTime(1000);
    await expect(waiting).rejects.toThrow('too late');
    expect(listenersOf(signal)).toBe(0);
  });

  test('rejects with the reason of the signal, also if it is already aborted', async () => {
    const control = new AbortController();
    const limits = { signal: control.signal, timeoutMs: 1000 };
    const waiting = withLimits(never, limits);
    const reason = new Error('enough');
    control.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(withLimits(never, limits)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a limit that no timer can take is not a limit', () => {
    withLimits(never, { timeoutMs: maxTimerMs + 1 });
    withLimits(never, { timeoutMs: Number.POSITIVE_INFINITY });
    withLimits(never, {});
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('settlesWithin', () => {
  test('is true for a promise that resolves or rejects in time', async () => {
    await expect(settlesWithin(Promise.resolve(), 10)).resolves.toBe(true);
    await expect(settlesWithin(Promise.reject(new Error('failed')), 10)).resolves.toBe(true);
  });

  test('is false for a promise that takes longer', async () => {
    const settles = settlesWithin(never, 10);
    vi.advanceTimersByTime(10);
    await expect(settles).resolves.toBe(false);
  });
});

describe('delay', () => {
  test('resolves when the time is over or the signal is aborted', async () => {
    const resolved = vi.fn();
    const control = new AbortController();
    const slow = delay(1000).then(() => resolved('time'));
    const aborted = delay(1000, control.signal).then(() => resolved('signal'));
    control.abort();
    await aborted;
    expect(resolved.mock.calls).toEqual([['signal']]);
    vi.advanceTimersByTime(1000);
    await slow;
    expect(resolved.mock.calls).toEqual([['signal'], ['time']]);
  });
});

describe('IdleTimer', () => {
  function idleTimer(idleMs = 1000) {
    const onIdle = vi.fn();
    const timer = new IdleTimer(idleMs, onIdle);
    timer.start();
    return { timer, onIdle };
  }

  test('calls back once when nothing happened for the idle time', () => {
    const { onIdle } = idleTimer();
    vi.advanceTimersByTime(999);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(251);
    expect(onIdle).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(10_000);
    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('an event starts the idle time again, also after it called back', () => {
    const { timer, onIdle } = idleTimer();
    for (let count = 0; count < 10; count++) {
      vi.advanceTimersByTime(900);
      timer.restart();
    }
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1250);
    expect(onIdle).toHaveBeenCalledTimes(1);
    timer.restart();
    vi.advanceTimersByTime(1250);
    expect(onIdle).toHaveBeenCalledTimes(2);
  });

  test('time does not count while it is paused, and starts again after the last resume', () => {
    const { timer, onIdle } = idleTimer();
    timer.pause();
    timer.pause();
    vi.advanceTimersByTime(10_000);
    timer.resume();
    vi.advanceTimersByTime(10_000);
    expect(onIdle).not.toHaveBeenCalled();
    timer.resume();
    vi.advanceTimersByTime(999);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(251);
    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('stop leaves no timer, and start begins again', () => {
    const { timer, onIdle } = idleTimer();
    vi.advanceTimersByTime(900);
    timer.stop();
    expect(vi.getTimerCount()).toBe(0);
    timer.start();
    timer.start();
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(900);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(350);
    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  test('an infinite idle time sets no timer', () => {
    idleTimer(Number.POSITIVE_INFINITY);
    expect(vi.getTimerCount()).toBe(0);
  });
});
