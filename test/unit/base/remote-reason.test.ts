import { describe, expect, test } from 'vitest';
import { RemoteError } from '../../../src/core/base/errors.ts';
import type { JsonValue } from '../../../src/core/base/json.ts';
import { remoteReason } from '../../../src/core/base/remote-reason.ts';
import { connectTo, dialectNames, everything, refuses } from '../../support/agents.ts';

describe('the reason of an error', () => {
  test.each<[JsonValue, string]>([
    ['Connection error.', 'Connection error.'],
    [{ details: 'no rollout found' }, 'no rollout found'],
    [{ detail: 'Path not found' }, 'Path not found'],
    [{ message: 'API error (status 400)' }, 'API error (status 400)'],
    [{ reason: 'rate limit' }, 'rate limit'],
    [{ error: 'mock error' }, 'mock error'],
    [{ error: { message: 'mock error', code: 7 } }, 'mock error'],
    [{ message: '{"error":{"message":"mock error","type":"x"}}' }, 'mock error'],
    ['{"error":{"message":"mock \\"quoted\\" error","ty', 'mock "quoted" error'],
    [{ message: '{"status":400}' }, '{"status":400}'],
    [{ message: '{not JSON' }, '{not JSON'],
    [{ details: '', message: 'the second field' }, 'the second field'],
    [{ details: { message: 'nested' } }, 'nested'],
  ])('is read from %j', (data, reason) => {
    expect(remoteReason(data)).toBe(reason);
  });

  test.each([[undefined], [null], [5], [true], [[]], [['text']], [{}], [{ code: 7 }], ['  \n']])(
    'does not exist in %j',
    (data) => {
      expect(remoteReason(data)).toBeUndefined();
    },
  );

  test('is one line without control characters, escape sequences and stack frames', () => {
    const details = 'Bad\u001b[31m request:\r\n  mock\u0000 error\n    at run (file.js:1:1)\n\u2028URL';
    expect(remoteReason({ details })).toBe('Bad request: mock error URL');
  });

  test('has at most 500 characters', () => {
    expect(remoteReason('x'.repeat(10_000))).toHaveLength(500);
  });

  test('is not searched without a limit', () => {
    let data: JsonValue = 'deep';
    for (let depth = 0; depth < 10_000; depth++) data = { error: data };
    expect(remoteReason(data)).toBeUndefined();
  });
});

test('JSON in a text of more than a million characters is not parsed, and its first message is the reason', () => {
  const rest = `[${'{},'.repeat(400_000)}{}]`;
  expect(remoteReason(`{"a":{"message":"no network"},"rest":${rest}}`)).toBe('no network');
});

test('of a longer text, the first million characters are read', () => {
  const frame = '    at run (/agent.js:1:1)\n';
  const frames = frame.repeat(2_000_000 / frame.length);
  expect(remoteReason(`${frames}no network`)).toBeUndefined();
  expect(remoteReason(`no network\n${frames}`)).toBe('no network');
});

describe.each(dialectNames)('the message of an error of an agent (%s)', (dialect) => {
  const internal = 'The agent answered session/new with error -32603: ';

  test.each<[string, JsonValue, string]>([
    ['Internal error', { details: 'Bad request: mock error' }, 'Internal error: Bad request: mock error.'],
    ['Internal error.', 'Agent error.', 'Internal error: Agent error.'],
    ['Internal error: mock error', { message: 'Mock error.' }, 'Internal error: mock error.'],
    ['Agent error', 'Agent error: no network', 'Agent error: no network.'],
    ['', { reason: 'no network' }, 'no network.'],
    ['Internal error', { code: 7 }, 'Internal error.'],
    ['{"error":{"type":"invalid_request_error","message":"mock error","code":"mock"}}', null, 'mock error.'],
    ['{"error":{"message":"mock error"}}', { details: 'status 400' }, 'mock error: status 400.'],
    [' {"error":{"message":"mock error","ty', null, 'mock error.'],
    ['{"status":400}', null, '{"status":400}.'],
    ['{not JSON', null, '{not JSON.'],
    ['API error: {"message":"mock error"}', null, 'API error: {"message":"mock error"}.'],
  ])('%j with the data %j', async (message, data, expected) => {
    const { connection } = await connectTo(everything[dialect], {
      answers: { 'session/new': refuses(-32603, message, data) },
    });
    const error = await connection.newSession({ cwd: '/project' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RemoteError);
    expect(error).toMatchObject({ message: `newSession: ${internal}${expected}`, data });
  });
});
