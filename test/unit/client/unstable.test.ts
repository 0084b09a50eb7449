import { describe, expect, test } from 'vitest';
import { connectTo, dialectNames, everything, settle } from '../../support/agents.ts';
import { cwd, openSession } from '../../support/open-session.ts';

describe.each(dialectNames)('unstable methods in %s', (dialect) => {
  test('requests are sent and their results returned', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      answers: {
        'session/fork': { sessionId: 's2' },
        'session/archive': {},
        'session/unarchive': {},
        'session/status': { status: 'saved' },
        'session/set_title': ({ title }) => ({ title: `${title}!` }),
        'auth/status': { state: 'authenticated', accounts: [{ label: 'me' }] },
        'providers/list': { providers: [{ providerId: 'p', supported: ['openai'], required: false }] },
        'providers/set': {},
        'providers/disable': {},
      },
    });
    expect((await connection.forkSession({ sessionId: 's1', cwd })).sessionId).toBe('s2');
    await connection.request('session/archive', { sessionId: 's1' });
    await connection.request('session/unarchive', { sessionId: 's1' });
    expect(await connection.request('session/status', { sessionId: 's1' })).toEqual({ status: 'saved' });
    expect(await connection.request('session/set_title', { sessionId: 's1', title: 'Mend it' })).toEqual({
      title: 'Mend it!',
    });
    expect(await connection.request('auth/status', {})).toMatchObject({
      state: 'authenticated',
      accounts: [{ label: 'me' }],
    });
    expect(await connection.request('providers/list', {})).toMatchObject({
      providers: [{ providerId: 'p' }],
    });
    await connection.request('providers/set', {
      providerId: 'p',
      apiType: 'openai',
      baseUrl: 'http://127.0.0.1/v1',
      headers: { a: 'b' },
    });
    await connection.request('providers/disable', { providerId: 'p' });
    expect(agent.calls('providers/set')[0]?.params).toEqual({
      providerId: 'p',
      apiType: 'openai',
      baseUrl: 'http://127.0.0.1/v1',
      headers: { a: 'b' },
    });
  });

  test('auth/status_update and mcp/message call their handlers', async () => {
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

  test('the title that session/set_title answers is the title of the session', async () => {
    const { connection, session } = await openSession(dialect, {
      answers: { 'session/set_title': ({ title }) => ({ title: `${title}!` }) },
    });
    await connection.request('session/set_title', { sessionId: 's1', title: 'Mend it' });
    expect(session.conversation.info.title).toBe('Mend it!');
  });

  test.each([null, 'Done', {}, { title: 5 }])(
    'the answer %j to session/set_title leaves the title as it is',
    async (answer) => {
      const { agent, connection, diagnostics, session } = await openSession(dialect, {
        answers: { 'session/set_title': () => answer },
      });
      agent.update('s1', { sessionUpdate: 'session_info_update', title: 'Mend it' });
      const change = connection.request('session/set_title', { sessionId: 's1', title: 'Paint it' });
      expect(await change).toEqual(answer);
      expect(session.conversation.info.title).toBe('Mend it');
      expect(diagnostics).toEqual([]);
    },
  );

  describe('_auth/status_update', () => {
    const gateway = { kind: 'gateway', label: 'Custom model gateway', detail: 'mock' };

    test('calls the handler for the login, with what the agent sent', async () => {
      const told: unknown[] = [];
      const { agent, diagnostics } = await connectTo(everything[dialect], {
        handlers: { authStatusChanged: (status) => told.push(status) },
      });
      const account = { kind: 'account', label: 'Pro', account: { email: 'me@example.com', plan: 'pro' } };
      for (const authStatus of [gateway, account, { kind: 'none', label: 'Not logged in' }, 'broken', {}]) {
        agent.notify('_auth/status_update', { authStatus });
      }
      await settle();
      expect(told).toEqual([
        {
          state: 'authenticated',
          accounts: [{ label: 'Custom model gateway', _meta: { authStatus: gateway } }],
        },
        {
          state: 'authenticated',
          accounts: [{ label: 'Pro', email: 'me@example.com', _meta: { authStatus: account } }],
        },
        { state: 'unauthenticated', accounts: [] },
      ]);
      expect(diagnostics).toEqual([]);
    });

    test('calls the handler for the extension instead, if there is one', async () => {
      const told: unknown[] = [];
      const { agent } = await connectTo(everything[dialect], {
        handlers: {
          authStatusChanged: () => told.push('login'),
          extensions: { '_auth/status_update': (params) => told.push(params) },
        },
      });
      agent.notify('_auth/status_update', { authStatus: gateway });
      await settle();
      expect(told).toEqual([{ authStatus: gateway }]);
    });
  });

  test('requests without a handler are refused', async () => {
    const { agent } = await connectTo(everything[dialect]);
    const answer = await agent.request('mcp/message', {
      serverId: 'tools',
      requestId: 'r1',
      method: 'tools/list',
    });
    expect(answer.error?.code).toBe(-32601);
  });
});
