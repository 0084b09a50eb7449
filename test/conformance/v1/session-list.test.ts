import { expect, test } from 'vitest';
import { connectTo } from '../../support/agents.ts';
import { connectFlushable, cwd, flush, sentSinceInitialize } from '../../support/open-session.ts';

const listing = (list: unknown) => ({
  protocolVersion: 1,
  agentCapabilities: { sessionCapabilities: list === undefined ? {} : { list } },
});

test.each([undefined, null, true, false])(
  '[16] v1 session/list is refused where its marker is %j',
  async (marker) => {
    const { agent, connection } = await connectFlushable(listing(marker) as never);
    const missing = [
      { feature: 'session.list', path: 'agentCapabilities.sessionCapabilities.list', value: marker },
    ];
    await expect(connection.listSessions().page()).rejects.toMatchObject({
      code: 'usage.capability',
      missing,
    });
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  },
);

test('[16] v1 session/list is sent where it is advertised', async () => {
  const { agent, connection } = await connectTo(listing({}) as never, {
    answers: { 'session/list': { sessions: [{ sessionId: 'a', cwd }] } },
  });
  expect(await connection.listSessions({ cwd }).page()).toEqual({ sessions: [{ sessionId: 'a', cwd }] });
  expect(agent.calls('session/list')[0]?.params).toEqual({ cwd });
});
