import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { RequestError } from '../../src/rpc/request-error.ts';
import { connectTo, dialectNames, everything } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';

const cwd = '/home/user/project';
const loginMethod = { v1: 'authenticate', 'v2-markers': 'auth/login', 'v2-baseline': 'auth/login' } as const;

describe.each(dialectNames)('logging in, in %s', (dialect) => {
  test('a call refused for the lack of a login is made once more after it', async () => {
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

  test('once, not for ever', async () => {
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

  test('what the user answers to the question is the call’s error', async () => {
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

  test('who leaves, and an agent that ends, do not wait for the user', async () => {
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

  test('only a method that is offered and not for a terminal goes over the wire', async () => {
    const result = structuredClone(everything[dialect]) as { authMethods: object[] };
    result.authMethods.push({
      type: 'terminal',
      id: 'tty',
      methodId: 'tty',
      name: 'Terminal',
      args: ['--login'],
    });
    // As an agent in the field has it: a key in its environment.
    result.authMethods.push({ type: 'env_var', id: 'env', methodId: 'env', name: 'Set API_KEY' });
    const { agent, connection } = await connectTo(result as never);
    expect(connection.authMethods).toMatchObject([
      { methodId: 'key', type: 'agent' },
      { methodId: 'tty', type: 'terminal', args: ['--login'] },
      { methodId: 'env', type: 'env_var' },
    ]);
    for (const [id, says] of [
      ['tty', "run the agent's program with the method's args"],
      ['env', 'log in as the agent describes it'],
      ['nonsense', 'choose one of key'],
    ] as const) {
      const refused = { code: 'usage.params', message: expect.stringContaining(says) };
      await expect(connection.login(id)).rejects.toMatchObject(refused);
    }
    expect(agent.received.map(({ method }) => method)).toEqual(['initialize']);
  });
});
