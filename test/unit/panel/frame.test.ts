import { expect, onTestFinished, test, vi } from 'vitest';
import { Frame } from '../../../src/panel/frame.ts';

test('a frame runs its task once for all requests, and not after it was stopped', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let runs = 0;
  const frame = new Frame(() => runs++);
  frame.request();
  frame.request();
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(15);
  expect(runs).toBe(0);
  vi.advanceTimersByTime(1);
  expect(runs).toBe(1);
  frame.request();
  frame.runNow();
  expect([runs, vi.getTimerCount()]).toEqual([2, 0]);
  frame.request();
  frame.stop();
  frame.request();
  frame.runNow();
  expect([runs, vi.getTimerCount()]).toEqual([2, 0]);
});
