import { describe, expect, test } from 'vitest';
import { RequestError } from '../../src/core/rpc/request-error.ts';
import { loginInTerminal } from '../../src/node/terminals/terminal-login.ts';
import { connectTo, everything } from '../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sent,
  sentSinceInitialize,
} from '../support/open-session.ts';

/** What the pages about authentication of both versions say in the same words. */

const args = ['-e', 'process.exit(process.env.MODE === "login" ? 0 : 1)'];
const inTerminal = { id: 'tui', methodId: 'tui', name: 'In a terminal', type: 'terminal', args };
const info = { name: 'scripted', version: '1' };

describe.each([
  ['v1', { protocolVersion: 1, agentCapabilities: {} }, { MODE: 'login' }, 'authenticate', 'logout'],
  [
    'v2-baseline',
    { protocolVersion: 2, info, capabilities: { session: {} } },
    [{ name: 'MODE', value: 'login' }],
    'auth/login',
    'auth/logout',
  ],
] as const)('in %s', (dialect, initialize, env, login, logout) => {
  test('[21] v1, v2 a login with a method of the agent and a logout are sent, and a login with another method is refused', async () => {
    const authMethods = ['agent', 'terminal', '_card'].map((type) => ({
      id: type,
      methodId: type,
      name: type,
      type,
    }));
    const { agent, connection } = await connectFlushable(
      { ...everything[dialect], authMethods },
      { answers: { [login]: {}, [logout]: {} } },
    );
    for (const methodId of ['terminal', '_card', 'sso']) {
      const refused = { code: 'usage.params' };
      await expect(connection.login(methodId)).rejects.toMatchObject(refused);
      await expect(connection.request(login, { methodId })).rejects.toMatchObject(refused);
    }
    await connection.login('agent');
    await connection.logout();
    await flush(agent);
    expect(sentSinceInitialize(agent).map(({ method, params }) => [method, params])).toEqual([
      [login, { methodId: 'agent' }],
      [logout, {}],
    ]);
  });

  test('[68] v1, v2 after a logout a session rejects with the same error, and continues after the login', async () => {
    let isLoggedIn = true;
    const turnTo = (next: boolean) => () => {
      isLoggedIn = next;
      return {};
    };
    const { agent, session, connection } = await openSession(dialect, {
      answers: { [logout]: turnTo(false), [login]: turnTo(true) },
      script: (agent) =>
        agent.on('session/prompt', () => {
          if (!isLoggedIn) throw new RequestError(-32000, 'Authentication required');
          return { stopReason: 'end_turn' };
        }),
    });
    await connection.logout();
    await expect(session.prompt('Hello')).rejects.toMatchObject({ code: 'remote.auth_required' });
    expect(session.conversation.entries).toEqual([]);
    await connection.login('key');
    await session.prompt('Hello').accepted;
    const methods = sent(agent).map(({ method }) => method);
    expect(methods).toEqual([logout, 'session/prompt', login, 'session/prompt']);
  });

  test('[69] v1, v2 a terminal login runs the program with the arguments of the method, then a new connection is made', async () => {
    const { connection } = await connectTo(
      { ...initialize, authMethods: [{ ...inTerminal, env }] },
      { terminalLogin: true },
    );
    const [method] = connection.authMethods;
    expect(method).toMatchObject({ methodId: 'tui', type: 'terminal', args, env: { MODE: 'login' } });
    await connection.close();
    // It resolves only if the program exits with code 0.
    if (method) await loginInTerminal({ command: process.execPath }, method);
    const { agent, connection: again } = await connectTo(
      { ...initialize, authMethods: [] },
      { terminalLogin: true, answers: { 'session/new': { sessionId: 's1' } } },
    );
    await again.newSession({ cwd });
    expect(agent.received.map(({ method }) => method)).toEqual(['initialize', 'session/new']);
  });
});
