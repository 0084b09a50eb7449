import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import { SentSecrets } from '../../../src/core/base/secrets.ts';
import {
  maxDiagnosticsPerSecond,
  printDiagnostics,
  rateLimitDiagnostics,
} from '../../../src/core/client/diagnostics.ts';

const secrets = new SentSecrets();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const noise: Diagnostic = { rule: 'transport.noise', severity: 'warning', message: 'noise' };

test('[security: request-limit] [reliability: limit-diagnostics] diagnostics of a rule beyond the limit are counted, and other rules are not affected', () => {
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

test('what comes before the count is reported belongs to the count', () => {
  const told: Diagnostic[] = [];
  const { report } = rateLimitDiagnostics((diagnostic) => told.push(diagnostic), secrets);
  for (let n = 0; n < maxDiagnosticsPerSecond; n++) report(noise);
  vi.advanceTimersByTime(900);
  report(noise);
  vi.advanceTimersByTime(600);
  report(noise);
  expect(told).toHaveLength(maxDiagnosticsPerSecond);
  vi.advanceTimersByTime(400);
  expect(told.at(-1)?.message).toContain('2 more');
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

test('[security: hidden-text] messages are short and have no control or invisible characters', () => {
  const told: Diagnostic[] = [];
  const { report } = rateLimitDiagnostics((diagnostic) => told.push(diagnostic), secrets);
  report({
    ...noise,
    message: `\x1b]0;title\x07a${'b'.repeat(5000)}`,
    received: 'x\x9b31mr\u200bed\x1b[2J\u202e',
  });
  expect(told[0]?.message).toBe(`a${'b'.repeat(1999)}…`);
  expect(told[0]?.received).toBe('x31mred\ufffd');
});

test('[security: secrets-in-diagnostics] a secret is found if escape sequences are between its characters', () => {
  const told: Diagnostic[] = [];
  const sent = new SentSecrets();
  sent.add(['hunter2-hunter2']);
  const { report } = rateLimitDiagnostics((diagnostic) => told.push(diagnostic), sent);
  const text = 'KEY=hunter2\x1b[0m-\x07hunter2';
  report({ ...noise, message: text, received: text });
  expect(told).toEqual([{ ...noise, message: 'KEY=[redacted]', received: 'KEY=[redacted]' }]);
});

test('a listener that throws does no harm', () => {
  const { report } = rateLimitDiagnostics(() => {
    throw new Error('listener');
  }, secrets);
  expect(() => report(noise)).not.toThrow();
});

describe('without a listener', () => {
  /** What reaches the console. Each kind of output that is not a warning would fail the test. */
  function printed(): readonly string[] {
    const lines: string[] = [];
    const warn = vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(line));
    const others = (['log', 'info', 'debug', 'error'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => expect.unreachable(name)),
    );
    onTestFinished(() => {
      for (const spy of [warn, ...others]) spy.mockRestore();
    });
    return lines;
  }

  test('the first warning or error of each rule is a warning on the console', () => {
    const lines = printed();
    const { report, finish } = printDiagnostics(secrets);
    report({ ...noise, severity: 'info' });
    for (let n = 0; n < 100; n++) report({ ...noise, received: 'a banner' });
    report({ rule: 'handler.failed', severity: 'error', message: 'It failed.' });
    finish();
    const rest =
      'Further diagnostics of this rule are not printed. Pass onDiagnostic to connect to receive all diagnostics instead.';
    expect(lines).toEqual([
      `acp-client-sdk: warning transport.noise: noise Received: a banner\n${rest}`,
      `acp-client-sdk: error handler.failed: It failed.\n${rest}`,
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('[security: secrets-in-diagnostics] the console shows neither secrets nor control characters', () => {
    const lines = printed();
    const sent = new SentSecrets();
    sent.add(['hunter2-hunter2']);
    const text = 'KEY=hunter2\x1b[0m-\x07hunter2';
    printDiagnostics(sent).report({ ...noise, message: text, received: text });
    expect(lines).toMatchObject([
      expect.stringContaining('transport.noise: KEY=[redacted] Received: KEY=[redacted]\n'),
    ]);
  });

  test('a console that throws does no harm', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {
      throw new Error('console');
    });
    onTestFinished(() => warn.mockRestore());
    expect(() => printDiagnostics(secrets).report(noise)).not.toThrow();
  });
});
