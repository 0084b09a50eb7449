import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connect } from '../../../src/agents/connect.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { scriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, refuses, settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd } from '../../support/open-session.ts';

const logoutMethod = { v1: 'logout', 'v2-markers': 'auth/logout', 'v2-baseline': 'auth/logout' } as const;
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

  /** Connects to an agent that refuses every call until the user has logged in. */
  async function refusing(onAuthRequired: NonNullable<ConnectOptions['onAuthRequired']>) {
    const refuse = refuses(-32000, 'Authentication required');
    return connectTo(everything[dialect], {
      answers: { 'session/new': refuse, 'session/list': refuse },
      onAuthRequired,
    });
  }

  test('a call is sent again only once', async () => {
    const { agent, connection } = await refusing(() => {});
    await expect(connection.newSession({ cwd })).rejects.toMatchObject({ code: 'remote.auth_required' });
    expect(agent.calls('session/new')).toHaveLength(2);
  });

  test('an error for the lack of a login says so if the agent has no login method', async () => {
    const { connection } = await connectTo(
      { ...everything[dialect], authMethods: [] },
      {
        answers: { 'session/new': refuses(-32000, 'Authentication required', { details: 'No key' }) },
      },
    );
    await expect(connection.newSession({ cwd })).rejects.toMatchObject({
      code: 'remote.auth_required',
      data: { details: 'No key' },
      message:
        'newSession: The agent answered session/new with error -32000: Authentication required: No key. It offers no login method. Log in with the program of the agent, or set its key, as its documentation describes.',
      advice: 'Log in with the program of the agent, or set its key, as its documentation describes.',
    });
  });

  test('an error for the lack of a login names the program that the transport started', async () => {
    const login = { id: 'cli', methodId: 'cli', type: 'terminal', name: 'CLI', args: ['--login'] };
    const agent = scriptedAgent()
      .on('initialize', { ...everything[dialect], authMethods: [login] })
      .on('session/new', refuses(-32000, 'Authentication required'));
    const transport = { ...agent.transport, program: { command: 'some-agent', args: ['--acp'] } };
    const connection = await connect(transport, {
      clientInfo: { name: 'test', version: '0' },
      onDiagnostic: () => {},
    });
    onTestFinished(() => connection.close());
    await expect(connection.newSession({ cwd })).rejects.toMatchObject({
      advice: 'Run in a terminal: `some-agent --acp --login`.',
    });
  });

  const advised = 'Run in a terminal: `opencode auth login`.';

  test.each([
    ['OpenCode', 'no API key', 'APIError', { code: 'remote.auth_required', advice: advised }],
    ['OpenCode', 'Too many requests', 'APIError', { code: 'remote' }],
    ['OpenCode', 'no API key', 'UnknownError', { code: 'remote' }],
    ['scripted', 'no API key', 'APIError', { code: 'remote' }],
  ])('an error of its own that %s has no key: "%s", %s', async (name, said, errorName, expected) => {
    const info = { name, version: '1.0.0' };
    const login = {
      id: 'l',
      methodId: 'l',
      type: 'agent',
      name: 'Login',
      description: 'Run `opencode auth login`.',
    };
    const message = `Internal error: ${said}`;
    const { connection } = await connectTo(
      { ...everything[dialect], info, agentInfo: info, authMethods: [login] },
      {
        answers: {
          'session/new': { sessionId: 's1' },
          'session/prompt': refuses(-32603, message, { service: 'session', errorName }),
        },
      },
    );
    const session = await connection.newSession({ cwd });
    await expect(session.prompt('Hello.')).rejects.toMatchObject({ ...expected, rpcCode: -32603 });
  });

  test('[reliability: login-limits] an abort and the end of the agent do not wait for onAuthRequired', async () => {
    let asked = 0;
    const { agent, connection } = await refusing(() => {
      asked++;
      return new Promise<void>(() => {});
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

  test.each([false, true])(
    '[reliability: login-limits] a call that onAuthRequired makes, at once or not, does not wait for the login that it is part of: %s',
    async (isLater) => {
      let inner: Promise<unknown> | undefined;
      const list = (connection: ClientConnection) => {
        inner = connection.listSessions().page();
        return inner.then(() => {});
      };
      const { agent, connection } = await refusing(({ connection }) =>
        isLater ? settle().then(() => list(connection)) : list(connection),
      );
      const refused = { code: 'remote.auth_required', message: expect.stringContaining('listSessions') };
      await expect(connection.newSession({ cwd })).rejects.toMatchObject(refused);
      await expect(inner).rejects.toMatchObject(refused);
      expect(agent.calls('session/list')).toHaveLength(1);
      expect(agent.calls('session/new')).toHaveLength(1);
    },
  );

  test('the call rejects with what onAuthRequired throws, and the user is asked again by the next one', async () => {
    let asked = 0;
    const failure = new Error('the user closed the dialog');
    const { connection } = await refusing(() => {
      if (++asked === 1) throw failure;
      return Promise.reject(failure);
    });
    for (const times of [1, 2, 3]) {
      await expect(connection.newSession({ cwd })).rejects.toBe(failure);
      expect(asked).toBe(times);
    }
  });

  test('login and logout that the agent refuses for the lack of a login do not ask the user', async () => {
    let asked = 0;
    const refuse = refuses(-32000, 'Authentication required');
    const { connection } = await connectTo(everything[dialect], {
      answers: { [loginMethod[dialect]]: refuse, [logoutMethod[dialect]]: refuse },
      onAuthRequired: () => {
        asked++;
      },
    });
    await expect(connection.login('key')).rejects.toMatchObject({ code: 'remote.auth_required' });
    await expect(connection.logout()).rejects.toMatchObject({ code: 'remote.auth_required' });
    expect(asked).toBe(0);
  });

  describe('with time limits', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
    afterEach(() => void vi.useRealTimers());

    test('[reliability: login-limits] timeoutMs holds for the whole call, the login included', async () => {
      let asked = 0;
      const { agent, connection } = await refusing(() => {
        asked++;
        return new Promise<void>(() => {});
      });
      const call = connection.newSession({ cwd }, { timeoutMs: 500 }).catch((error: unknown) => error);
      await settle();
      expect(asked).toBe(1);
      vi.advanceTimersByTime(499);
      await settle();
      expect(await Promise.race([call, 'waits'])).toBe('waits');
      vi.advanceTimersByTime(1);
      expect(await call).toMatchObject({ code: 'timeout', method: 'session/new' });
      expect(agent.calls('session/new')).toHaveLength(1);
    });

    test('the call that is sent again has the time that is left', async () => {
      const login = deferred();
      const { agent, connection } = await connectTo(everything[dialect], {
        script: (agent) =>
          agent.on('session/new', () => {
            // The second call is never answered.
            if (agent.calls('session/new').length > 1) return new Promise(() => {});
            throw new RequestError(-32000, 'Authentication required');
          }),
        onAuthRequired: () => login.promise,
      });
      const call = connection.newSession({ cwd }, { timeoutMs: 500 }).catch((error: unknown) => error);
      await settle();
      vi.advanceTimersByTime(400);
      login.resolve();
      await settle();
      expect(agent.calls('session/new')).toHaveLength(2);
      vi.advanceTimersByTime(99);
      await settle();
      expect(await Promise.race([call, 'waits'])).toBe('waits');
      vi.advanceTimersByTime(1);
      expect(await call).toMatchObject({ code: 'timeout', timeoutMs: 100 });
    });

    test('the default limit of a call does not end a login', async () => {
      let asked = 0;
      const { agent, connection } = await refusing(() => {
        asked++;
        return new Promise<void>(() => {});
      });
      const call = connection.newSession({ cwd }).catch((error: unknown) => error);
      await settle();
      expect(asked).toBe(1);
      vi.advanceTimersByTime(24 * 3_600_000);
      await settle();
      expect(await Promise.race([call, 'waits'])).toBe('waits');
      agent.channel.end();
      expect(await call).toMatchObject({ code: 'connection.closed' });
    });
  });
});
