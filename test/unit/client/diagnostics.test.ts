import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { maxDiagnosticsPerSecond, rateLimitDiagnostics } from '../../../src/client/diagnostics.ts';
import type { Diagnostic } from '../../../src/diagnostic.ts';
import { SentSecrets } from '../../../src/secrets.ts';

const secrets = new SentSecrets();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const noise: Diagnostic = { rule: 'transport.noise', severity: 'warning', message: 'noise' };

test('[reliability: limit-diagnostics] diagnostics of a rule beyond the limit are counted, and other rules are not affected', () => {
  const told: Diagnostic[] = [];
  const { report } = rateLimitDiagnostics((diagnostic) => told.push(diagnostic), secrets);
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

test('diagnostics below the limit set no timer, and the count starts again each second', () => {
  const told: Diagnostic[] = [];
  const { report } = rateLimitDiagnostics((diagnostic) => told.push(diagnostic), secrets);
  for (let second = 0; second < 3; second++) {
    for (let n = 0; n < maxDiagnosticsPerSecond; n++) report(noise);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1000);
  }
  expect(told).toHaveLength(3 * maxDiagnosticsPerSecond);
});

test('the end reports the count, and leaves no timer', () => {
  const told: Diagnostic[] = [];
  const { report, finish } = rateLimitDiagnostics((diagnostic) => told.push(diagnostic), secrets);
  for (let n = 0; n <= maxDiagnosticsPerSecond; n++) report(noise);
  expect(vi.getTimerCount()).toBe(1);
  finish();
  expect(told.at(-1)?.message).toContain('1 more');
  expect(vi.getTimerCount()).toBe(0);
});

test('messages are short and have no control characters', () => {
  const told: Diagnostic[] = [];
  const { report } = rateLimitDiagnostics((diagnostic) => told.push(diagnostic), secrets);
  report({ ...noise, message: `\x1b]0;title\x07a${'b'.repeat(5000)}`, received: 'x\x9b31mred\x1b[2J\u202e' });
  expect(told[0]?.message).toHaveLength(2001 - '\x1b]0;title\x07'.length);
  expect(told[0]?.received).toBe('x31mred\ufffd');
});

test('a listener that throws, and none at all, do no harm', () => {
  const { report } = rateLimitDiagnostics(() => {
    throw new Error('listener');
  }, secrets);
  expect(() => report(noise)).not.toThrow();
  expect(() => rateLimitDiagnostics(undefined, secrets).report(noise)).not.toThrow();
});
