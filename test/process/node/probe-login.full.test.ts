import { describe, expect, test } from 'vitest';
import { probeAgent } from '../../../src/agents/probe/probe.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { dialectNames, everything, nothing } from '../../support/agents.ts';
import { answeringAgent, type Told } from './processes.ts';

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

// test/unit/node/probe/login.test.ts has what each answer means.
describe.each(dialectNames)('the login of an agent of %s', (dialect) => {
  test('is the last status that it sends', async () => {
    const statuses = [...pushed(account), ...pushed({ kind: 'none', label: 'Not logged in' })];
    const initialize = announcing[dialect];
    const last = await probed({ initialize, answers: opens, pushed: statuses });
    expect(last).toMatchObject({ login: 'no', dialect, codes: ['login.required'] });
    const first = await probed({ initialize, answers: opens, pushed: pushed(account) });
    expect(first).toMatchObject({ login: 'yes', codes: [] });
    expect(JSON.stringify(first)).not.toContain('me@example.com');
  });

  test('is what it answers to auth/status', async () => {
    const answers = { ...opens, 'auth/status': { result: { state: 'authenticated', accounts: [] } } };
    expect(await probed({ initialize: answering[dialect], answers })).toMatchObject({ login: 'yes' });
  });

  test('is unknown if it only opens a session, and no if it refuses one for the lack of a login', async () => {
    const { authMethods } = everything[dialect];
    const initialize = { ...plain[dialect], ...(authMethods !== undefined && { authMethods }) };
    expect(await probed({ initialize, answers: opens })).toMatchObject({
      login: 'unknown',
      loginReason: expect.stringContaining('Only a prompt can show'),
      session: 'kept',
      codes: [],
    });
    const answers = { 'session/new': refusal(-32000, 'Authentication required') };
    const refused = await probed({ initialize, answers });
    expect(refused).toMatchObject({ login: 'no', session: 'failed', codes: ['login.required'] });
  });
});

test('the login of an agent that refuses initialize with error -32000 is no, and it has no version', async () => {
  const probe = await probed({ initialize: refusal(-32000, 'Authentication required') });
  expect(probe).toMatchObject({ login: 'no', version: undefined, codes: ['login.required'] });
  expect(probe.received).toEqual(['initialize']);
});

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
