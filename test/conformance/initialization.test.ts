import { describe, expect, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import type { ConnectOptions } from '../../src/core/client/connect.ts';
import type { ClientHandlers } from '../../src/core/client/requests/handlers.ts';
import { featureNames } from '../../src/core/protocol/feature.ts';
import { noAnswer, scriptedAgent } from '../../src/records/testing/scripted-agent.ts';
import { connectTo, everything, refuses, settle } from '../support/agents.ts';
import { connectFlushable, cwd, flush, sent } from '../support/open-session.ts';

/** What the pages about initialization of both versions say in the same words. */

const clientInfo = { name: 'my-editor', version: '1.2.3', title: 'My Editor' };
const info = { name: 'scripted', version: '1.0.0' };
const v1 = { protocolVersion: 1 };
const v2 = { protocolVersion: 2, info };
/** What every agent of version 1 must do. */
const least = ['session', 'session.mcp.stdio'];

test.each([
  ['v1, none at all', v1, least],
  ['v1, an empty object', { ...v1, agentCapabilities: {} }, least],
  ['v1, null', { ...v1, agentCapabilities: null }, least],
  ['v2, none at all', v2, []],
  ['v2, an empty object', { ...v2, capabilities: {} }, []],
  ['v2, null', { ...v2, capabilities: null }, []],
  ['v2, no session', { ...v2, capabilities: { session: null } }, []],
])('[3] v1, v2 capabilities left out are not supported: %s', async (_, result, expected) => {
  const { connection } = await connectTo(result);
  expect(featureNames.filter((feature) => connection.supports(feature))).toEqual(expected);
});

describe.each([
  ['v1', 1],
  ['v2-baseline', 2],
] as const)('in %s', (dialect, version) => {
  test('[1] v1, v2 the first message is initialize, with the newest version that is offered', async () => {
    const { agent } = await connectTo(everything[dialect]);
    expect(agent.received).toMatchObject([{ method: 'initialize', params: { protocolVersion: 2 } }]);
    const { agent: other } = await connectTo(everything[dialect], { protocolVersions: [version] });
    expect(other.received[0]?.params?.['protocolVersion']).toBe(version);
  });

  test('[2] v1, v2 the client names the editor', async () => {
    const { agent } = await connectTo(everything[dialect], { clientInfo, protocolVersions: [version] });
    const { [version === 1 ? 'clientInfo' : 'info']: named, ...rest } = agent.received[0]?.params ?? {};
    expect(named).toEqual(clientInfo);
    expect(JSON.stringify(rest)).not.toContain('my-editor');
  });

  test.each([0, dialect === 'v1' ? 2 : 3, 99, 'text', null])(
    '[4] v1, v2 an answer in version %j ends the connection with an error that names both sides',
    async (given) => {
      const protocolVersion = given === 'text' ? String(version) : given;
      const agent = scriptedAgent().on('initialize', { protocolVersion, info, capabilities: {} });
      const ended = new Promise<void>((resolve) => agent.channel.onEnd(resolve));
      const options = {
        clientInfo,
        protocolVersions: version === 1 ? [1 as const] : [2 as const, 1 as const],
      };
      const error = await connect(agent.transport, options).catch((failure: unknown) => failure);
      const offered = version === 1 ? [1] : [2, 1];
      expect(error).toMatchObject({ code: 'protocol.version', offered, supported: [protocolVersion] });
      expect(String(error)).toContain('Update the agent or the client.');
      await ended;
    },
  );

  test('[6] v1, v2 no request is sent before initialize is answered', async () => {
    const agent = scriptedAgent().on('initialize', () => noAnswer);
    const connecting = connect(agent.transport, { clientInfo });
    const { id = '' } = await agent.called('initialize');
    // The agent may ask before; it gets the error that this is too early.
    const answer = await agent.request('session/request_permission', { sessionId: 's1' });
    expect(answer.error?.code).toBe(-32600);
    await settle();
    expect(sent(agent)).toEqual([]);
    agent.answer(id, everything[dialect]);
    await (await connecting).close();
  });
});

test.each([
  [{ requested: 2, supported: [3, 4] }, [3, 4]],
  [undefined, []],
])(
  '[5] v2 error -32022 with %o is an UnsupportedVersionError with the versions that the agent names',
  async (data, supported) => {
    const agent = scriptedAgent().on('initialize', refuses(-32022, 'unsupported', data));
    await expect(connect(agent.transport, { clientInfo, onDiagnostic() {} })).rejects.toMatchObject({
      code: 'protocol.version',
      offered: [2, 1],
      supported,
    });
  },
);

/** Methods of the other version are refused, and not sent. */
async function refusesOthers(dialect: 'v1' | 'v2-baseline', methods: readonly string[]) {
  const { agent, connection } = await connectFlushable(everything[dialect]);
  for (const method of methods) {
    await expect(connection.request(method, { sessionId: 's1' })).rejects.toMatchObject({
      code: 'usage.capability',
      method,
    });
  }
  await flush(agent);
  expect(sent(agent)).toEqual([]);
}

test('[7] v1 methods of version 2 are not sent to an agent of version 1', () =>
  refusesOthers('v1', ['auth/login', 'auth/logout', 'tool_call/cancel', 'terminal/cancel']));

test('[7,13] v2 methods of version 1 are not sent to an agent of version 2', () =>
  refusesOthers('v2-baseline', ['session/load', 'session/set_mode', 'authenticate', 'logout']));

test('[8] v2 initialize is sent once, and not again by hand', async () => {
  const { agent, connection } = await connectFlushable(everything['v2-baseline'], {
    answers: { 'session/new': { sessionId: 's1' } },
  });
  await connection.newSession({ cwd });
  const error = await connection
    .request('initialize', { protocolVersion: 2, info })
    .catch((failure) => failure);
  expect(error).toMatchObject({ code: 'usage.state', method: 'initialize' });
  await flush(agent);
  expect(agent.calls('initialize')).toHaveLength(1);
});

const decline = () => ({ action: 'decline' }) as const;
const files: ClientHandlers = { readTextFile: () => ({ content: '' }), writeTextFile: () => {} };
const terminals: ClientHandlers['terminals'] = {
  create: () => ({ terminalId: 't' }),
  output: () => ({ output: '', truncated: false }),
  waitForExit: () => ({ exitCode: 0, signal: null }),
  kill: () => {},
  release: () => {},
};
/** What every client of version 1 advertises. */
const always1 = {
  session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
  plan: {},
  subagents: {},
};

test.each<[what: string, version: 1 | 2, options: Partial<ConnectOptions>, advertised: object]>([
  [
    'v1 only what has a handler, and flags are booleans',
    1,
    {},
    {
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      ...always1,
      _meta: { terminal_output: true },
    },
  ],
  [
    'v1 each handler in the form that the version has for it',
    1,
    { terminalLogin: true, handlers: { ...files, terminals, elicit: { form: decline, url: decline } } },
    {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      ...always1,
      auth: { terminal: true },
      elicitation: { form: {}, url: {} },
      _meta: { terminal_output: true, 'terminal-auth': true },
    },
  ],
  ['v2 only what has a handler', 2, {}, {}],
  [
    'v2 handlers by objects, and none for files',
    2,
    { terminalLogin: true, handlers: { ...files, elicit: { url: decline } } },
    { auth: { terminal: {} }, elicitation: { url: {} } },
  ],
])('[9] v1, v2 advertised is %s', async (_, version, options, advertised) => {
  const { agent } = await connectTo(everything[version === 1 ? 'v1' : 'v2-baseline'], {
    protocolVersions: [version],
    ...options,
  });
  const { clientCapabilities, capabilities = clientCapabilities } = agent.received[0]?.params ?? {};
  expect(capabilities).toEqual(advertised);
});
