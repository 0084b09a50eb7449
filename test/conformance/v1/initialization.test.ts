import { expect, test } from 'vitest';
import { connect } from '../../../src/client/connect.ts';
import { featureNames } from '../../../src/protocol/feature.ts';
import { noAnswer, scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { connectTo, everything, settle } from '../../support/agents.ts';
import { connectFlushable, cwd, flush, sent } from '../../support/open-session.ts';

const clientInfo = { name: 'my-editor', version: '1.2.3', title: 'My Editor' };

test('[1] v1 the first message is initialize, with the newest version that is offered', async () => {
  const { agent } = await connectTo(everything.v1);
  expect(agent.received).toMatchObject([{ method: 'initialize', params: { protocolVersion: 2 } }]);
  const { agent: old } = await connectTo(everything.v1, { protocolVersions: [1] });
  expect(old.received[0]?.params?.['protocolVersion']).toBe(1);
});

test('[2] v1 clientInfo names the editor', async () => {
  const { agent } = await connectTo(everything.v1, { clientInfo, protocolVersions: [1] });
  expect(agent.received[0]?.params?.['clientInfo']).toEqual(clientInfo);
  expect(agent.received[0]?.params).not.toHaveProperty('info');
});

test.each([
  ['none at all', { protocolVersion: 1 }],
  ['an empty object', { protocolVersion: 1, agentCapabilities: {} }],
  ['null', { protocolVersion: 1, agentCapabilities: null }],
])('[3] v1 capabilities left out are not supported: %s', async (_, result) => {
  const { connection } = await connectTo(result);
  const supported = featureNames.filter((feature) => connection.supports(feature));
  // What every agent of version 1 must do, and nothing else.
  expect(supported).toEqual(['session', 'session.mcp.stdio']);
});

test.each([0, 3, 99, '1', null])(
  '[4] v1 an answer in version %j ends the connection with an error that names both sides',
  async (protocolVersion) => {
    const agent = scriptedAgent().on('initialize', { protocolVersion });
    let ended = false;
    agent.channel.onEnd(() => {
      ended = true;
    });
    await expect(connect(agent.transport, { clientInfo, protocolVersions: [1] })).rejects.toMatchObject({
      code: 'protocol.version',
      offered: [1],
      supported: [protocolVersion],
    });
    await settle();
    expect(ended).toBe(true);
  },
);

test('[4] v1 a version that was not offered ends the connection', async () => {
  const agent = scriptedAgent().on('initialize', everything['v2-baseline']);
  await expect(connect(agent.transport, { clientInfo, protocolVersions: [1] })).rejects.toMatchObject({
    code: 'protocol.version',
  });
});

test('[6] v1 no request is sent before initialize is answered', async () => {
  const agent = scriptedAgent().on('initialize', () => noAnswer);
  const connecting = connect(agent.transport, { clientInfo, protocolVersions: [1] });
  const { id } = await agent.called('initialize');
  // The agent may ask before; it gets the error that this is too early.
  const answer = await agent.request('session/request_permission', { sessionId: 's1' });
  expect(answer.error?.code).toBe(-32600);
  expect(sent(agent)).toEqual([]);
  agent.answer(id as number, everything.v1);
  await (await connecting).close();
});

test('[7] v1 methods and fields of version 2 are not sent to an agent of version 1', async () => {
  const { agent, connection } = await connectFlushable(everything.v1);
  for (const method of ['auth/login', 'auth/logout', 'tool_call/cancel', 'terminal/cancel']) {
    await expect(connection.request(method, {})).rejects.toMatchObject({ code: 'usage.capability', method });
  }
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});

test('[9] v1 only what has a handler is advertised, and flags are booleans', async () => {
  const { agent } = await connectTo(everything.v1, { protocolVersions: [1] });
  expect(agent.received[0]?.params?.['clientCapabilities']).toEqual({
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    plan: {},
    subagents: {},
    _meta: { terminal_output: true },
  });
});

test('[9] v1 each handler is advertised in the form that the version has for it', async () => {
  const { agent } = await connectTo(everything.v1, {
    protocolVersions: [1],
    terminalLogin: true,
    handlers: {
      readTextFile: () => ({ content: '' }),
      writeTextFile: () => {},
      terminals: {
        create: () => ({ terminalId: 't' }),
        output: () => ({ output: '', truncated: false }),
        waitForExit: () => ({ exitCode: 0, signal: null }),
        kill: () => {},
        release: () => {},
      },
      elicit: { form: () => ({ action: 'decline' }), url: () => ({ action: 'decline' }) },
    },
  });
  expect(agent.received[0]?.params?.['clientCapabilities']).toEqual({
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    plan: {},
    subagents: {},
    auth: { terminal: true },
    elicitation: { form: {}, url: {} },
    _meta: { terminal_output: true, 'terminal-auth': true },
  });
});

test('[10] v1 a malformed capability enables nothing', async () => {
  const { agent, connection } = await connectFlushable({
    protocolVersion: 1,
    agentCapabilities: {
      loadSession: {},
      promptCapabilities: { image: {}, audio: 'true', embeddedContext: 1 },
      mcpCapabilities: { http: {}, sse: [] },
      sessionCapabilities: { list: true, delete: 'yes', resume: [], close: 1, additionalDirectories: true },
      auth: { logout: true },
    },
    authMethods: {},
  });
  expect(featureNames.filter((feature) => connection.supports(feature))).toEqual([
    'session',
    'session.mcp.stdio',
  ]);
  await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toMatchObject({
    code: 'usage.capability',
    missing: [{ feature: 'session.load', path: 'agentCapabilities.loadSession', value: {} }],
  });
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});
