import { describe, expect, test } from 'vitest';
import { UnsupportedVersionError } from '../../src/errors.ts';
import { RequestError } from '../../src/rpc/request-error.ts';
import { connectTo, nothing } from '../support/agents.ts';

const cwd = '/home/user/project';

describe('agents that answer initialize in their own way', () => {
  test.each([0, 2, 99])(
    'the version asked for is echoed as %s, and the body is that of version 1',
    async (protocolVersion) => {
      const { agent, connection, diagnostics } = await connectTo(
        { protocolVersion, agentCapabilities: { loadSession: true, sessionCapabilities: { list: {} } } },
        { script: (agent) => agent.on('session/new', { sessionId: 's1' }) },
      );
      expect(connection.protocolVersion).toBe(1);
      expect(connection.supports('session.load')).toBe(true);
      expect(connection.supports('session.close')).toBe(false);
      expect(diagnostics.map(({ rule }) => rule)).toEqual(['protocol.dialect']);
      await connection.newSession({ cwd });
      // Version 1 requires the list of servers, version 2 takes it for empty when it is absent.
      expect(agent.calls('session/new')[0]?.params).toEqual({ cwd, mcpServers: [] });
    },
  );

  test('an agent that is asked for 2 alone and answers 1 is not spoken to', async () => {
    await expect(connectTo(nothing.v1, { protocolVersions: [2] })).rejects.toBeInstanceOf(
      UnsupportedVersionError,
    );
  });

  test('a refused version says which ones the agent has', async () => {
    const refused = connectTo(
      {},
      {
        script: (agent) =>
          agent.on('initialize', () => {
            throw new RequestError(-32022, 'Unsupported protocol version', {
              requested: 1,
              supported: [3, 4],
            });
          }),
      },
    );
    await expect(refused).rejects.toMatchObject({ code: 'protocol.version', supported: [3, 4] });
  });

  test('what the protocol does not know stays in the raw result and does no harm', async () => {
    const result = {
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, auth: null, _meta: { promptQueueing: true }, steering: [] },
      authMethods: [{ id: 'login', name: 'Log in', _meta: { 'terminal-auth': { command: 'agent' } } }],
      models: ['a'],
    };
    const { connection, diagnostics } = await connectTo(result);
    expect(connection.initializeResult).toEqual(result);
    expect(connection.authMethods).toMatchObject([{ methodId: 'login', type: 'agent' }]);
    expect(diagnostics).toEqual([]);
  });

  test('agentCapabilities: null offers nothing', async () => {
    const { connection } = await connectTo({ protocolVersion: 1, agentCapabilities: null });
    expect(connection.supports('session')).toBe(true);
    expect(connection.supports('session.load')).toBe(false);
  });
});
