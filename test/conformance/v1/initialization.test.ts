import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { featureNames } from '../../../src/protocol/feature.ts';
import { scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { connectTo, everything } from '../../support/agents.ts';
import { connectFlushable, cwd, flush, sent } from '../../support/open-session.ts';

const clientInfo = { name: 'my-editor', version: '1.2.3', title: 'My Editor' };

test('[4] v1 a version that was not offered ends the connection', async () => {
  const agent = scriptedAgent().on('initialize', everything['v2-baseline']);
  await expect(connect(agent.transport, { clientInfo, protocolVersions: [1] })).rejects.toMatchObject({
    code: 'protocol.version',
  });
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
