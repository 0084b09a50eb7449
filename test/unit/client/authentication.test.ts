import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { connectTo, dialectNames, everything } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';

const cwd = '/home/user/project';
const loginMethod = { v1: 'authenticate', 'v2-markers': 'auth/login', 'v2-baseline': 'auth/login' } as const;

describe.each(dialectNames)('authentication in %s', (dialect) => {
  test('a call that needs a login is sent again after the login', async () => {
    let loggedIn = false;
    let asked = 0;
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent
          .on(loginMethod[dialect], () => {
            loggedIn = true;
            return {};
          })
          .on('session/new', () => {
            if (!loggedIn) throw new RequestError(-32000, 'Authentication required');
            return { sessionId: `s${asked}` };
          }),
      onAuthRequired: async ({ method, authMethods, connection }) => {
        asked++;
        expect(method).toBe('session/new');
        await connection.login(authMethods[0]?.methodId ?? '');
      },
    });
    const both = await Promise.all([connection.newSession({ cwd }), connection.newSession({ cwd })]);
    expect(both).toHaveLength(2);
    expect(asked).toBe(1);
    expect(agent.calls(loginMethod[dialect])).toHaveLength(1);
  });

  test('a call is sent again only once', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/new', () => {
          throw new RequestError(-32000, 'Authentication required');
        }),
      onAuthRequired: () => {},
    });
    await expect(connection.newSession({ cwd })).rejects.toMatchObject({ code: 'remote.auth_required' });
    expect(agent.calls('session/new')).toHaveLength(2);
  });

  test('an error for the lack of a login says so if the agent has no login method', async () => {
    const { connection } = await connectTo(
      { ...everything[dialect], authMethods: [] },
      {
        script: (agent) =>
          agent.on('session/new', () => {
            throw new RequestError(-32000, 'Authentication required', { details: 'No key' });
          }),
      },
    );
    await expect(connection.newSession({ cwd })).rejects.toMatchObject({
      code: 'remote.auth_required',
      data: { details: 'No key' },
      message:
        'newSession: The agent answered session/new with error -32000: Authentication required: No key. It offers no login method: log in as its documentation describes, then connect again.',
    });
  });

  test('the call rejects with what onAuthRequired throws', async () => {
    const refusal = new Error('the user closed the dialog');
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/new', () => {
          throw new RequestError(-32000, 'Authentication required');
        }),
      onAuthRequired: () => Promise.reject(refusal),
    });
    await expect(connection.newSession({ cwd })).rejects.toBe(refusal);
  });

  test('an abort and the end of the agent do not wait for onAuthRequired', async () => {
    let asked = 0;
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/new', () => {
          throw new RequestError(-32000, 'Authentication required');
        }),
      onAuthRequired: () => {
        asked++;
        return new Promise<void>(() => {});
      },
    });
    const control = new AbortController();
    const left = connection.newSession({ cwd }, { signal: control.signal }).catch((error: unknown) => error);
    const waiting = connection.newSession({ cwd }).catch((error: unknown) => error);
    await eventually(() => asked).toBe(1);
    control.abort('gone');
    expect(await left).toBe('gone');
    agent.channel.end();
    expect(await waiting).toMatchObject({ code: 'connection.closed' });
    expect(getEventListeners(control.signal, 'abort')).toEqual([]);
  });

  test('login sends only methods that the agent offers for the protocol', async () => {
    const result = structuredClone(everything[dialect]) as { authMethods: object[] };
    result.authMethods.push({
      type: 'terminal',
      id: 'tty',
      methodId: 'tty',
      name: 'Terminal',
      args: ['--login'],
    });
    // Some agents log in with a key in their environment.
    result.authMethods.push({ type: 'env_var', id: 'env', methodId: 'env', name: 'Set API_KEY' });
    const { agent, connection } = await connectTo(result as never);
    expect(connection.authMethods).toMatchObject([
      { methodId: 'key', type: 'agent' },
      { methodId: 'tty', type: 'terminal', args: ['--login'] },
      { methodId: 'env', type: 'env_var' },
    ]);
    for (const [id, message] of [
      ['tty', "run the agent's program with the method's args"],
      ['env', 'log in as the agent describes it'],
      ['nonsense', 'pass one of key'],
    ] as const) {
      const refused = { code: 'usage.params', message: expect.stringContaining(message) };
      await expect(connection.login(id)).rejects.toMatchObject(refused);
    }
    expect(agent.received.map(({ method }) => method)).toEqual(['initialize']);
  });
});
