import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { guardReports, maxDiagnosticsPerSecond } from '../../src/client/report.ts';
import type { Diagnostic } from '../../src/diagnostic.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const noise: Diagnostic = { rule: 'transport.noise', severity: 'warning', message: 'noise' };

test('a flood is cut off, counted and told; other rules pass', () => {
  const told: Diagnostic[] = [];
  const { report } = guardReports((diagnostic) => told.push(diagnostic));
  for (let n = 0; n < 1000; n++) report(noise);
  report({ ...noise, rule: 'rpc.batch' });
  expect(told).toHaveLength(maxDiagnosticsPerSecond + 1);
  vi.advanceTimersByTime(1000);
  expect(told.at(-1)).toMatchObject({
    rule: 'transport.noise',
    message: expect.stringContaining(`${1000 - maxDiagnosticsPerSecond} more`),
  });
  report(noise);
  expect(told).toHaveLength(maxDiagnosticsPerSecond + 3);
  expect(vi.getTimerCount()).toBe(0);
});

test('few diagnostics set no timer, and a new second is a new count', () => {
  const told: Diagnostic[] = [];
  const { report } = guardReports((diagnostic) => told.push(diagnostic));
  for (let second = 0; second < 3; second++) {
    for (let n = 0; n < maxDiagnosticsPerSecond; n++) report(noise);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1000);
  }
  expect(told).toHaveLength(3 * maxDiagnosticsPerSecond);
});

test('the end tells what is left out, and leaves no timer', () => {
  const told: Diagnostic[] = [];
  const { report, finish } = guardReports((diagnostic) => told.push(diagnostic));
  for (let n = 0; n <= maxDiagnosticsPerSecond; n++) report(noise);
  expect(vi.getTimerCount()).toBe(1);
  finish();
  expect(told.at(-1)?.message).toContain('1 more');
  expect(vi.getTimerCount()).toBe(0);
});

test('what is told can be written to a terminal, and is short', () => {
  const told: Diagnostic[] = [];
  const { report } = guardReports((diagnostic) => told.push(diagnostic));
  report({ ...noise, message: `\x1b]0;title\x07a${'b'.repeat(5000)}`, received: 'x\x9b31mred\x1b[2J\u202e' });
  expect(told[0]?.message).toHaveLength(2001 - '\x1b]0;title\x07'.length);
  expect(told[0]?.received).toBe('x31mred\ufffd');
});

test('a listener that throws, and none at all, do no harm', () => {
  const { report } = guardReports(() => {
    throw new Error('listener');
  });
  expect(() => report(noise)).not.toThrow();
  expect(() => guardReports(undefined).report(noise)).not.toThrow();
});
