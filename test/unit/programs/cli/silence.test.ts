import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silenceNote } from '../../../../src/programs/cli/silence.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watched(isExpected = () => false) {
  const notes: string[] = [];
  const timer = silenceNote({ note: (text) => void notes.push(text), status: () => {} }, isExpected);
  timer.start();
  return { notes, timer };
}

test('a turn in which the agent sends nothing for ten seconds says so once', () => {
  const { notes, timer } = watched();
  vi.advanceTimersByTime(9_900);
  expect(notes).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(notes).toEqual([expect.stringContaining('The agent has sent nothing for 10 s.')]);
  timer.restart();
  vi.advanceTimersByTime(60_000);
  expect(notes).toHaveLength(1);
  timer.stop();
});

test('a message is a sign of life', () => {
  const { notes, timer } = watched();
  for (let second = 0; second < 60; second += 5) {
    vi.advanceTimersByTime(5_000);
    timer.restart();
  }
  expect(notes).toEqual([]);
  vi.advanceTimersByTime(20_000);
  expect(notes).toHaveLength(1);
  timer.stop();
});

test('an agent that has a reason to be silent is not reported', () => {
  const { notes, timer } = watched(() => true);
  vi.advanceTimersByTime(60_000);
  expect(notes).toEqual([]);
  timer.stop();
});

test('nothing is said after the turn', () => {
  const { notes, timer } = watched();
  vi.advanceTimersByTime(5_000);
  timer.stop();
  vi.advanceTimersByTime(60_000);
  expect(notes).toEqual([]);
});
