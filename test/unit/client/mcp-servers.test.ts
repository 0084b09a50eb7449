import { expect, test } from 'vitest';
import { supportedMcpServers } from '../../../src/core/client/mcp-servers.ts';
import type { McpServerConfig } from '../../../src/core/model/mcp-server.ts';
import { connectTo, dialectNames, everything } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';

const servers: readonly McpServerConfig[] = [
  { name: 'program', command: '/bin/program', args: [], env: [] },
  { type: 'http', name: 'web', url: 'https://example.com/mcp', headers: [] },
  { type: 'sse', name: 'old', url: 'https://example.com/sse', headers: [] },
  { type: '_pipe', name: 'own' },
];
const info = { name: 'scripted', version: '1.0.0' };
const named = (list: readonly McpServerConfig[]) => list.map(({ name }) => name);

const expected = {
  v1: { all: ['program', 'web', 'old'], none: ['program'] },
  'v2-markers': { all: ['program', 'web', 'own'], none: [] },
  'v2-baseline': { all: ['program', 'web', 'own'], none: [] },
};

test.each(dialectNames)(
  'the servers that an agent supports can be passed, and the others have a reason (%s)',
  async (dialect) => {
    for (const [initialize, which] of [
      [everything[dialect], 'all'],
      [
        dialect === 'v1'
          ? { protocolVersion: 1 }
          : { protocolVersion: 2, info, capabilities: { session: {} } },
        'none',
      ],
    ] as const) {
      const { agent, connection } = await connectTo(initialize, {
        answers: { 'session/new': { sessionId: 's1' } },
      });
      const { supported, unsupported } = supportedMcpServers(connection, servers);
      expect(named(supported)).toEqual(expected[dialect][which]);
      await connection.newSession({ cwd, mcpServers: supported });
      expect(agent.calls('session/new')[0]?.params).toMatchObject({
        mcpServers: supported.map(({ name }) => ({ name })),
      });
      for (const { server, feature, reason } of unsupported) {
        expect(reason).toBe(connection.explain(feature).reason);
        await expect(connection.newSession({ cwd, mcpServers: [server] })).rejects.toMatchObject({
          code: expect.stringMatching(/^usage\./),
        });
      }
      expect(supported.length + unsupported.length).toBe(servers.length);
    }
  },
);
