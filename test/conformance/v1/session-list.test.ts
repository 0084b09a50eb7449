import { expect, test } from 'vitest';
import { connectTo } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';

const listing = (list: unknown) => ({
  protocolVersion: 1,
  agentCapabilities: { sessionCapabilities: list === undefined ? {} : { list } },
});

test('[16] v1 session/list is sent where it is advertised', async () => {
  const { agent, connection } = await connectTo(listing({}) as never, {
    answers: { 'session/list': { sessions: [{ sessionId: 'a', cwd }] } },
  });
  expect(await connection.listSessions({ cwd }).page()).toEqual({ sessions: [{ sessionId: 'a', cwd }] });
  expect(agent.calls('session/list')[0]?.params).toEqual({ cwd });
});
