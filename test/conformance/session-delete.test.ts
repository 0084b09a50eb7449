import { describe, expect, test } from 'vitest';
import { connectTo, everything } from '../support/agents.ts';
import { cwd, openSession } from '../support/open-session.ts';

describe.each(['v1', 'v2-baseline'] as const)('%s', (dialect) => {
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
