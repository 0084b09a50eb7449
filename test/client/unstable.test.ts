import { describe, expect, test } from 'vitest';
import { connectTo, dialectNames, everything, settle } from '../support/agents.ts';

const cwd = '/home/user/project';

describe.each(dialectNames)('the unstable calls in %s', (dialect) => {
  test('fork, archive, status, title, auth status and providers', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent
          .on('session/fork', { sessionId: 's2' })
          .on('session/archive', {})
          .on('session/unarchive', {})
          .on('session/status', { status: 'saved' })
          .on('session/set_title', ({ title }) => ({ title: `${title}!` }))
          .on('auth/status', { state: 'authenticated', accounts: [{ label: 'me' }] })
          .on('providers/list', { providers: [{ providerId: 'p', supported: ['openai'], required: false }] })
          .on('providers/set', {})
          .on('providers/disable', {}),
    });
    expect((await connection.forkSession({ sessionId: 's1', cwd })).sessionId).toBe('s2');
    await connection.archiveSession('s1');
    await connection.unarchiveSession('s1');
    expect(await connection.sessionStatus('s1')).toBe('saved');
    expect(await connection.setSessionTitle('s1', 'Mend it')).toBe('Mend it!');
    expect(await connection.authStatus()).toMatchObject({
      state: 'authenticated',
      accounts: [{ label: 'me' }],
    });
    expect(await connection.listProviders()).toMatchObject([{ providerId: 'p' }]);
    await connection.setProvider({
      providerId: 'p',
      apiType: 'openai',
      baseUrl: 'http://127.0.0.1/v1',
      headers: { a: 'b' },
    });
    await connection.disableProvider('p');
    expect(agent.calls('providers/set')[0]?.params).toEqual({
      providerId: 'p',
      apiType: 'openai',
      baseUrl: 'http://127.0.0.1/v1',
      headers: { a: 'b' },
    });
  });

  test('a change of the login, and messages for a server of the editor’s own', async () => {
    const told: unknown[] = [];
    const { agent } = await connectTo(everything[dialect], {
      handlers: {
        authStatusChanged: (status) => told.push(status),
        mcpMessage: async ({ serverId, method }) => ({ result: { serverId, method } }),
      },
    });
    agent.notify('auth/status_update', { state: 'unauthenticated' });
    const answer = await agent.request('mcp/message', {
      serverId: 'tools',
      requestId: 'r1',
      method: 'tools/list',
    });
    expect(answer.result).toEqual({ result: { serverId: 'tools', method: 'tools/list' } });
    await settle();
    expect(told).toEqual([{ state: 'unauthenticated', accounts: [] }]);
  });

  test('an editor that serves no such thing says so', async () => {
    const { agent } = await connectTo(everything[dialect]);
    const answer = await agent.request('mcp/message', {
      serverId: 'tools',
      requestId: 'r1',
      method: 'tools/list',
    });
    expect(answer.error?.code).toBe(-32601);
  });
});
