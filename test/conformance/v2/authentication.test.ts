import { expect, test } from 'vitest';
import { loginInTerminal } from '../../../src/node/terminal-login.ts';
import { connectTo, refuses } from '../../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sentSinceInitialize,
} from '../../support/open-session.ts';

const initialize = (authMethods: readonly object[] | undefined) =>
  ({
    protocolVersion: 2,
    info: { name: 'scripted', version: '1' },
    capabilities: { session: {} },
    ...(authMethods && { authMethods }),
  }) as never;

const browser = { type: 'agent', methodId: 'browser', name: 'Browser' };
const terminal = {
  type: 'terminal',
  methodId: 'tui',
  name: 'In a terminal',
  args: ['-e', 'process.exit(process.env.MODE === "login" ? 0 : 1)'],
  env: [{ name: 'MODE', value: 'login' }],
};
const own = { type: '_card', methodId: 'card', name: 'Smart card' };

test.each([[undefined], [[]], [null], [{}]])(
  '[21] v2 without authMethods (%j) neither auth/login nor auth/logout is sent',
  async (authMethods) => {
    const { agent, connection } = await connectFlushable(initialize(authMethods as never));
    for (const call of [() => connection.login('browser'), () => connection.logout()]) {
      await expect(call()).rejects.toMatchObject({
        code: 'usage.capability',
        missing: [{ path: 'authMethods' }],
      });
    }
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  },
);

test('[21] v2 auth/login and auth/logout are sent where a method is offered', async () => {
  const { agent, connection } = await connectTo(initialize([browser]), {
    answers: { 'auth/login': {}, 'auth/logout': {} },
  });
  await connection.login('browser');
  await connection.logout();
  expect(sentSinceInitialize(agent).map(({ method, params }) => [method, params])).toEqual([
    ['auth/login', { methodId: 'browser' }],
    ['auth/logout', {}],
  ]);
});

test('[21] v2 only methods of type agent are sent', async () => {
  const { agent, connection } = await connectFlushable(initialize([terminal, own]));
  for (const methodId of ['tui', 'card', 'sso']) {
    await expect(connection.login(methodId)).rejects.toMatchObject({ code: 'usage.params' });
    await expect(connection.request('auth/login', { methodId })).rejects.toMatchObject({
      code: 'usage.params',
    });
  }
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});

test('[68] v2 error -32000 is an AuthRequiredError that says what to do', async () => {
  const { session } = await openSession('v2-baseline', {
    answers: { 'session/prompt': refuses(-32000, 'Authentication required') },
  });
  const error = await session.prompt('Hello').catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'remote.auth_required', method: 'session/prompt' });
  expect(String(error)).toContain('Log in from an editor: "API key".');
});

test('[69] v2 a terminal login runs the program with the arguments of the method, then a new connection is made', async () => {
  const { connection } = await connectTo(initialize([terminal]), { terminalLogin: true });
  const [method] = connection.authMethods;
  expect(method).toMatchObject({ methodId: 'tui', type: 'terminal', env: { MODE: 'login' } });
  await connection.close();
  expect(method).toBeDefined();
  // It resolves only if the program exits with code 0.
  if (method) await loginInTerminal({ command: process.execPath }, method);
  const { agent, connection: again } = await connectTo(initialize([]), {
    terminalLogin: true,
    answers: { 'session/new': { sessionId: 's1' } },
  });
  await again.newSession({ cwd });
  expect(agent.received.map(({ method }) => method)).toEqual(['initialize', 'session/new']);
});
