import { describe, expect, test } from 'vitest';
import { AuthRequiredError, RemoteError } from '../../../../src/base/errors.ts';
import { authStatusOfExtension } from '../../../../src/client/requests/auth-status.ts';
import { evidenceOf, evidenceOfRefusal, loginFrom } from '../../../../src/node/probe/login.ts';
import { causeIn } from '../../../../src/node/probe/problems.ts';

const account = { label: 'me' };

test.each([
  ['authenticated', 'yes'],
  ['not_required', 'yes'],
  ['unauthenticated', 'no'],
  ['unknown', 'unknown'],
  ['asleep', 'unknown'],
  ['yes', 'unknown'],
  ['', 'unknown'],
])('the state %j of the agent means %s', (state, login) => {
  expect(evidenceOf({ state, accounts: [account] }).login).toBe(login);
});

test.each([
  ['account', 'yes'],
  ['api_key', 'yes'],
  ['gateway', 'unknown'],
  ['external', 'unknown'],
  ['none', 'no'],
  ['moonlight', 'unknown'],
])('the kind %j in _auth/status_update means %s', (kind, login) => {
  const status = authStatusOfExtension({ authStatus: { kind, label: 'Pro' } });
  expect(status && evidenceOf(status).login).toBe(login);
});

test('an account in another state than authenticated is no evidence for a login', () => {
  const accounts = [{ label: 'Pro', _meta: { authStatus: { kind: 'account' } } }];
  expect(evidenceOf({ state: 'unauthenticated', accounts }).login).toBe('no');
  expect(evidenceOf({ state: 'unknown', accounts }).login).toBe('unknown');
});

describe('the sentence', () => {
  test('names the login, without the address of the user', () => {
    const status = authStatusOfExtension({
      authStatus: { kind: 'account', label: 'Pro', account: { email: 'me@example.com' } },
    });
    expect(status && evidenceOf(status).reason).toBe('The agent says that it has a login or a key: Pro.');
  });

  test('says that no login is needed', () => {
    expect(evidenceOf({ state: 'not_required', accounts: [] }).reason).toBe(
      'The agent says that it needs no login.',
    );
  });

  test('quotes what is not known', () => {
    const reason = 'The agent reports "asleep", and not whether its login or key is complete.';
    expect(evidenceOf({ state: 'asleep', accounts: [] }).reason).toBe(reason);
  });
});

test('only a refusal for the lack of a login is evidence', () => {
  const options = { rpcCode: -32000, agentMessage: 'Log in.', method: 'session/new' };
  expect(evidenceOfRefusal(new AuthRequiredError('…', options))).toEqual({
    login: 'no',
    reason: 'The agent refused session/new because it needs a login: Log in.',
  });
  expect(evidenceOfRefusal(new RemoteError('…', { ...options, rpcCode: -32603 }))).toBeUndefined();
  expect(evidenceOfRefusal(new Error('Log in.'))).toBeUndefined();
});

test('a no outweighs a yes, a yes outweighs what is unknown, and no evidence is unknown', () => {
  const yes = { login: 'yes', reason: 'y' } as const;
  const no = { login: 'no', reason: 'n' } as const;
  const unknown = { login: 'unknown', reason: 'u' } as const;
  expect(loginFrom([yes, unknown, no])).toBe(no);
  expect(loginFrom([unknown, yes])).toBe(yes);
  expect(loginFrom([unknown])).toBe(unknown);
  expect(loginFrom([]).login).toBe('unknown');
});

/** What programs wrote to stderr before they ended. */
test.each([
  ['npm error code ECONNREFUSED\nnpm error syscall connect', 'program.download_failed'],
  ['npm warn something\nnpm ERR! code E404\nnpm ERR! 404 Not Found', 'program.download_failed'],
  ['npm error code ENOTCACHED\nnpm error request to … failed', 'program.download_failed'],
  ['error: Failed to fetch: `https://pypi.org/simple/agent/`', 'program.download_failed'],
  ['Error [ERR_UNKNOWN_BUILTIN_MODULE]: No such built-in module: node:sqlite', 'program.needs_newer_node'],
  ['agent requires Node.js >= 22', 'program.needs_newer_node'],
  ['Node.js version v22 or newer is needed', 'program.needs_newer_node'],
  ['bash: ./agent: cannot execute binary file: Exec format error', 'program.wrong_architecture'],
  ['/tmp/agent: 1: \x7fELF\x02\x01: not found', 'program.wrong_architecture'],
  ['npm error code 1\nnpm error path /tmp', undefined],
  ['The model was not found.', undefined],
  ['Node.js v20.19.0', undefined],
  ['', undefined],
])('%j means %s', (stderrTail, code) => {
  expect(causeIn(stderrTail)).toBe(code);
});
