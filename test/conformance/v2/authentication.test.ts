import { expect, test } from 'vitest';
import { connectTo } from '../../support/agents.ts';
import { connectFlushable, flush, sentSinceInitialize } from '../../support/open-session.ts';

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
