import { describe, expect, test } from 'vitest';
import { connectTo, everything } from '../support/agents.ts';
import { connectFlushable, cwd, flush, openSession, sentSinceInitialize } from '../support/open-session.ts';

/** What an agent of a version answers `initialize` with, by its marker for `session/delete`. */
const versions = [
  {
    dialect: 'v1',
    deleting: (marker: unknown) => ({
      protocolVersion: 1,
      agentCapabilities: { sessionCapabilities: { delete: marker } },
    }),
  },
  {
    dialect: 'v2-baseline',
    deleting: (marker: unknown) => ({
      protocolVersion: 2,
      info: { name: 'scripted', version: '1.0.0' },
      capabilities: { session: { delete: marker } },
    }),
  },
] as const;

describe.each(versions)('$dialect', ({ dialect, deleting }) => {
  test.each([undefined, null, true, false])(
    '[17] v1, v2 session/delete is refused where its marker is %j',
    async (marker) => {
      const { agent, connection } = await connectFlushable(deleting(marker) as never);
      await expect(connection.deleteSession('s1')).rejects.toMatchObject({
        code: 'usage.capability',
        missing: [{ feature: 'session.delete', value: marker }],
      });
      await flush(agent);
      expect(sentSinceInitialize(agent)).toEqual([]);
    },
  );

  test('[17] v1, v2 session/delete is sent also for a session that is not open', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      answers: { 'session/delete': {} },
    });
    await connection.deleteSession('never-opened');
    expect(agent.calls('session/delete')[0]?.params).toEqual({ sessionId: 'never-opened' });
  });

  test('[17] v1, v2 deleting an open session closes it', async () => {
    const { connection, session } = await openSession(dialect, {
      answers: { 'session/delete': {} },
    });
    await connection.deleteSession('s1');
    expect(session.isClosed).toBe(true);
    expect(connection.sessions).toEqual([]);
    expect(session.cwd).toBe(cwd);
  });
});
