import { describe, expect, test } from 'vitest';
import { connectTo, dialectNames, everything, settle } from '../../support/agents.ts';
import { openSession } from '../../support/open-session.ts';

describe.each(dialectNames)('unstable methods in %s', (dialect) => {
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
});
