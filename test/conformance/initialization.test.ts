import { describe, expect, test } from 'vitest';
import { connect } from '../../src/agents/connect.ts';
import { featureNames } from '../../src/protocol/feature.ts';
import { noAnswer, scriptedAgent } from '../../src/testing/scripted-agent.ts';
import { connectTo, everything, settle } from '../support/agents.ts';
import { sent } from '../support/open-session.ts';

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

  test.each([0, 3, 99, 'text', null])(
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
