import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { probeAgent } from '../../../src/node/probe/probe.ts';
import type { DialectName } from '../../../src/protocol/dialect.ts';
import { dialectNames, everything, nothing } from '../../support/agents.ts';
import { answeringAgent, type Told } from './probed.ts';

/** The answer to `initialize` of an agent that announces that it sends its login status. */
const announcing: Readonly<Record<DialectName, JsonObject>> = {
  v1: { ...nothing.v1, agentCapabilities: { _meta: { authStatus: {} } } },
  'v2-markers': {
    ...nothing['v2-markers'],
    capabilities: { session: { load: null }, auth: { _meta: { authStatus: {} } } },
  },
  'v2-baseline': { ...nothing['v2-baseline'], capabilities: { session: {}, _meta: { authStatus: {} } } },
};

/** Nothing but sessions and a login status that can be asked for. */
const answering: Readonly<Record<DialectName, JsonObject>> = {
  v1: { ...nothing.v1, agentCapabilities: { auth: { status: {} } } },
  'v2-markers': { ...nothing['v2-markers'], capabilities: { session: { load: {} }, auth: { status: {} } } },
  'v2-baseline': { ...nothing['v2-baseline'], capabilities: { session: {}, auth: { status: {} } } },
};

const plain: Readonly<Record<DialectName, JsonObject>> = {
  v1: nothing.v1,
  'v2-markers': { ...nothing['v2-markers'], capabilities: { session: { load: {} } } },
  'v2-baseline': { ...nothing['v2-baseline'], capabilities: { session: {} } },
};

const opens = { 'session/new': { result: { sessionId: 's' } } };
const refusal = (code: number, message: string, data?: JsonObject): JsonObject => ({
  error: { code, message, ...(data && { data }) },
});
const pushed = (authStatus: JsonObject | string) => [
  { method: '_auth/status_update', params: { authStatus } },
];
const account = { kind: 'account', label: 'Pro', account: { email: 'me@example.com' } };

async function probed(told: Told) {
  const { command, received } = answeringAgent(told);
  const probe = await probeAgent(command);
  expect(received()).not.toContain('session/prompt');
  return { ...probe, received: received(), codes: probe.problems.map(({ code }) => code) };
}

describe.each(dialectNames)('the login of an agent of %s', (dialect) => {
  test.each([
    ['account', 'yes', account],
    ['gateway', 'unknown', { kind: 'gateway', label: 'Custom model gateway', detail: 'mine' }],
    ['none', 'no', { kind: 'none', label: 'Not logged in' }],
  ])('that sends the status %s is %s', async (_kind, login, status) => {
    const probe = await probed({ initialize: announcing[dialect], answers: opens, pushed: pushed(status) });
    expect(probe).toMatchObject({ login, dialect });
    expect(probe.codes).toEqual(login === 'no' ? ['login.required'] : []);
    expect(JSON.stringify(probe)).not.toContain('me@example.com');
  });

  test('is the last status that it sends', async () => {
    const statuses = [...pushed(account), ...pushed({ kind: 'none', label: 'Not logged in' })];
    const probe = await probed({ initialize: announcing[dialect], answers: opens, pushed: statuses });
    expect(probe.login).toBe('no');
  });

  test.each([
    ['authenticated', 'yes'],
    ['unauthenticated', 'no'],
  ])('that answers auth/status with %s is %s', async (state, login) => {
    const answers = { ...opens, 'auth/status': { result: { state, accounts: [{ label: 'me' }] } } };
    expect(await probed({ initialize: answering[dialect], answers })).toMatchObject({ login });
  });

  test('that answers auth/status with an error is unknown', async () => {
    const answers = { ...opens, 'auth/status': refusal(-32603, 'Not today.') };
    expect(await probed({ initialize: answering[dialect], answers })).toMatchObject({
      login: 'unknown',
      codes: [],
    });
  });

  test('that refuses auth/status for the lack of a login is no', async () => {
    const answers = { ...opens, 'auth/status': refusal(-32000, 'Log in first.') };
    expect(await probed({ initialize: answering[dialect], answers })).toMatchObject({ login: 'no' });
  });

  test('that opens a session is unknown, with login methods and without', async () => {
    const { authMethods } = everything[dialect];
    const withMethods = { ...plain[dialect], ...(authMethods !== undefined && { authMethods }) };
    for (const initialize of [plain[dialect], withMethods]) {
      expect(await probed({ initialize, answers: opens })).toMatchObject({
        login: 'unknown',
        loginReason: expect.stringContaining('Only a prompt can show'),
        session: 'kept',
        codes: [],
      });
    }
  });

  test('that refuses a session with error -32000 is no', async () => {
    const answers = { 'session/new': refusal(-32000, 'Authentication required') };
    const probe = await probed({ initialize: plain[dialect], answers });
    expect(probe).toMatchObject({ login: 'no', session: 'failed', codes: ['login.required'] });
  });

  test('that says yes and refuses a session for the lack of a login is no', async () => {
    const answers = { 'session/new': refusal(-32000, 'The login has expired.') };
    const probe = await probed({ initialize: announcing[dialect], answers, pushed: pushed(account) });
    expect(probe).toMatchObject({ login: 'no', codes: ['login.required'] });
    expect(probe.loginReason).toContain('The login has expired');
  });

  test('that says yes and opens no session for another reason is unknown', async () => {
    const answers = { 'session/new': refusal(-32603, 'The token was refused.') };
    const probe = await probed({ initialize: announcing[dialect], answers, pushed: pushed(account) });
    expect(probe).toMatchObject({ login: 'unknown', codes: ['session.failed'] });
    expect(probe.loginReason).toBe(
      'The agent says that it has a login or a key: Pro. It opened no session, so this is not certain.',
    );
  });

  test('that refuses initialize with error -32000 is no, and the agent has no version', async () => {
    const probe = await probed({ initialize: refusal(-32000, 'Authentication required') });
    expect(probe).toMatchObject({ login: 'no', version: undefined, codes: ['login.required'] });
    expect(probe.received).toEqual(['initialize']);
  });
});

test.each([
  ['with its login methods', refusal(-32000, 'Log in.', { authMethods: [{ id: 'key', name: 'Key' }] })],
  ['with the reason in its data', refusal(-32000, 'Server error', { details: 'No key is set.' })],
  ['with an empty message', refusal(-32000, '')],
])('the login of an agent that refuses a session with error -32000, %s, is no', async (_how, answer) => {
  const probe = await probed({ initialize: plain.v1, answers: { 'session/new': answer } });
  expect(probe).toMatchObject({ login: 'no', session: 'failed', codes: ['login.required'] });
});

test.each([
  ['-32603', refusal(-32603, 'Internal error', { details: 'Authentication required' })],
  ['401', refusal(401, 'Unauthorized')],
])(
  'the login of an agent that refuses a session with error %s is unknown, and the reason is shown',
  async (_code, answer) => {
    const probe = await probed({ initialize: plain.v1, answers: { 'session/new': answer } });
    expect(probe).toMatchObject({ login: 'unknown', session: 'failed', codes: ['session.failed'] });
    expect(probe.problems[0]?.message).toMatch(/Authentication required|Unauthorized/);
  },
);

test('an agent that announces a status and sends none is unknown', async () => {
  expect(await probed({ initialize: announcing.v1, answers: opens })).toMatchObject({
    login: 'unknown',
    loginReason: expect.stringContaining('does not report its login'),
  });
});

test('a login that is needed names the ways to log in that the agent offers', async () => {
  const authMethods = [
    { id: 'browser', name: 'Browser' },
    { id: 'cli', name: 'Terminal', type: 'terminal', args: ['--login'] },
    { id: 'key', name: 'Key', type: 'env_var', vars: [{ name: 'MY_KEY' }] },
  ];
  const answers = { 'session/new': refusal(-32000, 'Log in.') };
  const { problems } = await probed({ initialize: { ...nothing.v1, authMethods }, answers });
  // The command that starts the agent is long: its beginning is the program, and its end the argument of the method.
  expect(problems[0]?.remedy).toMatch(
    /^Run in a terminal: `\S+node\b.* --login`\. Or set MY_KEY, and start the agent again\. Or log in from an editor: "Browser"\.$/,
  );
});
