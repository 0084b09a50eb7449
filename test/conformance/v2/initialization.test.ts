import { expect, test } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { featureNames } from '../../../src/protocol/feature.ts';
import { scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { connectTo, everything, refuses } from '../../support/agents.ts';
import { connectFlushable, cwd, flush, sent } from '../../support/open-session.ts';

const clientInfo = { name: 'my-editor', version: '1.2.3', title: 'My Editor' };
const info = { name: 'scripted', version: '1.0.0' };
const full = everything['v2-baseline'];

test('[5] v2 error -32022 is an UnsupportedVersionError with the versions that the agent names', async () => {
  const agent = scriptedAgent().on(
    'initialize',
    refuses(-32022, 'unsupported', { requested: 2, supported: [3, 4] }),
  );
  await expect(connect(agent.transport, { clientInfo })).rejects.toMatchObject({
    code: 'protocol.version',
    offered: [2, 1],
    supported: [3, 4],
  });
});

test('[5] v2 error -32022 without data is the same error', async () => {
  const agent = scriptedAgent().on('initialize', refuses(-32022, 'unsupported'));
  await expect(connect(agent.transport, { clientInfo })).rejects.toMatchObject({
    code: 'protocol.version',
    supported: [],
  });
});

test('[7,13] v2 methods and fields of version 1 are not sent to an agent of version 2', async () => {
  const { agent, connection } = await connectFlushable(full);
  for (const method of ['session/load', 'session/set_mode', 'authenticate', 'logout']) {
    await expect(connection.request(method, { sessionId: 's1' })).rejects.toMatchObject({
      code: 'usage.capability',
      method,
    });
  }
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});

test('[8] v2 initialize is sent once, and not again by hand', async () => {
  const { agent, connection } = await connectFlushable(full, {
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

test('[9] v2 only what has a handler is advertised', async () => {
  const { agent } = await connectTo(full, { protocolVersions: [2] });
  expect(agent.received[0]?.params?.['capabilities']).toEqual({});
});

test('[9] v2 handlers are advertised by objects', async () => {
  const { agent } = await connectTo(full, {
    protocolVersions: [2],
    terminalLogin: true,
    handlers: {
      // Version 2 has neither; version 1 advertises them.
      readTextFile: () => ({ content: '' }),
      writeTextFile: () => {},
      elicit: { url: () => ({ action: 'decline' }) },
    },
  });
  expect(agent.received[0]?.params).toEqual({
    protocolVersion: 2,
    info: { name: 'test', version: '0.0.0' },
    capabilities: { auth: { terminal: {} }, elicitation: { url: {} } },
  });
});

test('[10] v2 a malformed capability enables nothing', async () => {
  const { agent, connection } = await connectFlushable({
    protocolVersion: 2,
    info,
    capabilities: {
      session: {
        delete: true,
        additionalDirectories: 'yes',
        prompt: { image: true, audio: [], embeddedContext: 1 },
        mcp: { stdio: true, http: false },
      },
    },
    authMethods: {},
  });
  expect(featureNames.filter((feature) => connection.supports(feature))).toEqual([
    'session',
    'session.load',
    'session.resume',
    'session.close',
    'session.list',
  ]);
  await expect(connection.deleteSession('s1')).rejects.toMatchObject({
    code: 'usage.capability',
    missing: [{ feature: 'session.delete', path: 'capabilities.session.delete', value: true }],
  });
  await flush(agent);
  expect(sent(agent)).toEqual([]);
});
