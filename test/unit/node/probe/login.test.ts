import { describe, expect, test } from 'vitest';
import {
  evidenceOf,
  evidenceOfRefusal,
  LoginReports,
  loginFrom,
  withoutSession,
} from '../../../../src/agents/probe/login.ts';
import { causeIn } from '../../../../src/agents/probe/problems.ts';
import { AuthRequiredError, RemoteError } from '../../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import { authStatusOfExtension } from '../../../../src/core/client/requests/notifications.ts';
import { RequestError } from '../../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../../src/records/testing/scripted-agent.ts';
import { connectTo, settle } from '../../../support/agents.ts';

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

test('the sentence names the login without the address of the user, or quotes what is not known', () => {
  const status = authStatusOfExtension({
    authStatus: { kind: 'account', label: 'Pro', account: { email: 'me@example.com' } },
  });
  expect(status && evidenceOf(status).reason).toBe('The agent says that it has a login or a key: Pro.');
  const reasonOf = (state: string) => evidenceOf({ state, accounts: [] }).reason;
  expect(reasonOf('not_required')).toBe('The agent says that it needs no login.');
  expect(reasonOf('asleep')).toBe(
    'The agent reports "asleep", and not whether its login or key is complete.',
  );
});

test('only a refusal for the lack of a login is evidence', () => {
  const options = { rpcCode: -32000, agentMessage: 'Log in.', method: 'session/new' };
  for (const [agentMessage, said] of [
    ['Log in.', ': Log in.'],
    ['Log in to v1.2', ': Log in to v1.2.'],
    ['', '.'],
  ] as const) {
    expect(evidenceOfRefusal(new AuthRequiredError('…', { ...options, agentMessage }))).toEqual({
      login: 'no',
      reason: `The agent refused session/new because it needs a login${said}`,
    });
  }
  expect(evidenceOfRefusal(new RemoteError('…', { ...options, rpcCode: -32603 }))).toBeUndefined();
  expect(evidenceOfRefusal(new Error('Log in.'))).toBeUndefined();
});

test('a no outweighs a yes, a yes outweighs what is unknown, and no evidence is unknown', () => {
  const yes = { login: 'yes', reason: 'y' } as const;
  const no = { login: 'no', reason: 'n' } as const;
  const unknown = { login: 'unknown', reason: 'u' } as const;
  expect(loginFrom([yes, unknown, no])).toBe(no);
  expect(loginFrom([unknown, yes, unknown])).toBe(yes);
  expect(loginFrom([unknown])).toBe(unknown);
  expect(loginFrom([]).login).toBe('unknown');
  expect(withoutSession(no)).toEqual(no);
  expect(withoutSession(unknown)).toEqual(unknown);
  expect(withoutSession(yes)).toEqual({
    login: 'unknown',
    reason: 'y It opened no session, so this is not certain.',
  });
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

describe('what an agent says about its login', () => {
  const marker = { authStatus: {} };
  const v1 = (agentCapabilities: JsonObject) => ({ protocolVersion: 1, agentCapabilities });
  const announced = v1({ _meta: marker });
  const asked = v1({ auth: { status: {} } });
  const wait = async (
    initialize: JsonObject,
    script?: (agent: ScriptedAgent) => unknown,
    { limitMs = 60_000, signal }: { readonly limitMs?: number; readonly signal?: AbortSignal } = {},
  ) => {
    const reports = new LoginReports();
    const { agent, connection } = await connectTo(initialize, {
      ...(script && { script }),
      handlers: { authStatusChanged: reports.take },
    });
    const waiting = reports.wait(connection, limitMs, signal);
    const push = (kind: string) =>
      agent.notify('_auth/status_update', { authStatus: { kind, label: 'Pro' } });
    return { reports, agent, waiting, push };
  };
  const logins = ({ evidence }: LoginReports) => evidence.map(({ login }) => login);

  test.each([
    ['of an agent of version 1', announced],
    ['of its login', v1({ auth: { _meta: marker } })],
    ['of an agent of version 2', { protocolVersion: 2, capabilities: { session: {}, _meta: marker } }],
  ])('is waited for if it announces that in the capabilities %s', async (_, initialize) => {
    const { reports, waiting, push } = await wait(initialize);
    push('none');
    await waiting;
    expect(logins(reports)).toEqual(['no']);
  });

  test('is not waited for if it announces nothing, and counts all the same', async () => {
    const { reports, waiting, push } = await wait(v1({}));
    await waiting;
    expect(logins(reports)).toEqual([]);
    push('account');
    push('none');
    await settle();
    expect(logins(reports)).toEqual(['no']);
  });

  test('is asked for if it can be asked, and then nothing is waited for', async () => {
    const both = v1({ auth: { status: {} }, _meta: marker });
    const { reports, waiting } = await wait(both, (agent) =>
      agent.on('auth/status', { state: 'authenticated' }),
    );
    await waiting;
    expect(logins(reports)).toEqual(['yes']);
  });

  test.each<[string, () => unknown, readonly string[]]>([
    ['a list', () => [], []],
    ['an error', () => Promise.reject(new RequestError(-32603, 'Not today.')), []],
    ['a refusal for the lack of a login', () => Promise.reject(new RequestError(-32000, 'Log in.')), ['no']],
  ])('is known from the answer as far as it says it: %s', async (_, answer, expected) => {
    const { reports, waiting } = await wait(asked, (agent) => agent.on('auth/status', answer));
    await waiting;
    expect(logins(reports)).toEqual(expected);
  });

  test('is waited for until the limit, until the agent ends, and until the wait is aborted', async () => {
    const { reports, waiting } = await wait(announced, undefined, { limitMs: 1 });
    await waiting;
    expect(reports.evidence).toEqual([]);
    const ended = await wait(announced);
    ended.agent.channel.exit({ exitCode: 1 });
    await ended.waiting;
    for (const initialize of [announced, asked]) {
      const control = new AbortController();
      const never = (agent: ScriptedAgent) => agent.on('auth/status', () => noAnswer);
      const { waiting: aborted } = await wait(initialize, never, { signal: control.signal });
      control.abort(new Error('enough'));
      await expect(aborted).rejects.toThrow('enough');
    }
  });
});
