import { expect, test } from 'vitest';
import { connectTo } from '../../support/agents.ts';
import { connectFlushable, flush, sentSinceInitialize } from '../../support/open-session.ts';

const initialize = (auth: object | undefined, authMethods: readonly object[] | undefined) =>
  ({
    protocolVersion: 1,
    agentCapabilities: { ...(auth && { auth }) },
    ...(authMethods && { authMethods }),
  }) as never;

const key = { id: 'key', name: 'API key' };
const browser = { id: 'browser', name: 'Browser', type: 'agent' };
const terminal = {
  id: 'tui',
  name: 'In a terminal',
  type: 'terminal',
  args: ['-e', 'process.exit(process.env.MODE === "login" ? 0 : 1)'],
  env: { MODE: 'login' },
};

test('[21] v1 authenticate and logout are sent where they are offered', async () => {
  const { agent, connection } = await connectTo(initialize({ logout: {} }, [key, browser]), {
    answers: { authenticate: {}, logout: {} },
  });
  await connection.login('key');
  await connection.login('browser');
  await connection.logout();
  expect(sentSinceInitialize(agent).map(({ method, params }) => [method, params])).toEqual([
    ['authenticate', { methodId: 'key' }],
    ['authenticate', { methodId: 'browser' }],
    ['logout', {}],
  ]);
});

test('[21] v1 a method that is not offered, or runs in a terminal, is refused', async () => {
  const { agent, connection } = await connectFlushable(initialize({}, [key, terminal]));
  const unknown = await connection.login('sso').catch((failure: unknown) => failure);
  expect(unknown).toMatchObject({ code: 'usage.params' });
  expect(String(unknown)).toContain('must be one of key');
  const inTerminal = await connection.login('tui').catch((failure: unknown) => failure);
  expect(inTerminal).toMatchObject({ code: 'usage.params' });
  expect(String(inTerminal)).toContain('run the agent');
  for (const methodId of ['sso', 'tui']) {
    await expect(connection.request('authenticate', { methodId })).rejects.toMatchObject({
      code: 'usage.params',
    });
  }
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});
