import { describe, expect, test } from 'vitest';
import { connectTo, everything } from '../support/agents.ts';
import { cwd, deliver, openSession } from '../support/open-session.ts';

/** What the pages about the list of sessions of both versions say in the same words. */

describe.each(['v1', 'v2-baseline'] as const)('in %s', (dialect) => {
  test.each([[{ sessions: [] }], [{ sessions: [], nextCursor: null }]])(
    '[16,64] v1, v2 nextCursor %j is the last page',
    async (page) => {
      const { agent, connection } = await connectTo(everything[dialect], {
        answers: { 'session/list': page },
      });
      for await (const _ of connection.listSessions()) expect.unreachable();
      expect(agent.calls('session/list').map(({ params }) => params)).toEqual([{}]);
    },
  );

  test.each(['', ' {"offset":10}/\u00e4+%20'])(
    '[64] v1, v2 the cursor %j is sent unchanged',
    async (cursor) => {
      const { agent, connection } = await connectTo(everything[dialect], {
        answers: {
          'session/list': (params) => ({
            sessions: [],
            ...(params['cursor'] === undefined && { nextCursor: cursor }),
          }),
        },
      });
      for await (const _ of connection.listSessions({ cwd })) expect.unreachable();
      expect(agent.calls('session/list').map(({ params }) => params)).toEqual([{ cwd }, { cwd, cursor }]);
    },
  );

  test('[63] v1, v2 additionalDirectories of a session are those of the last list', async () => {
    const directories = [['/x', '/y'], ['/z'], dialect === 'v1' ? undefined : null];
    const pages = directories.map((additionalDirectories) => ({
      sessions: [
        { sessionId: 'a', cwd, ...(additionalDirectories !== undefined && { additionalDirectories }) },
      ],
    }));
    const { connection } = await connectTo(everything[dialect], {
      answers: { 'session/list': () => pages.shift() },
    });
    const listed = async () => (await connection.listSessions().page()).sessions[0]?.additionalDirectories;
    expect([await listed(), await listed(), await listed()]).toEqual([['/x', '/y'], ['/z'], undefined]);
  });

  test('[62] v1, v2 session_info_update: null clears, and what is omitted stays', async () => {
    const { agent, conversation } = await openSession(dialect);
    const info = async (update: object) => {
      await deliver(agent, { sessionUpdate: 'session_info_update', ...update });
      return conversation().info;
    };
    expect(await info({ title: 'A', updatedAt: 'today' })).toEqual({ title: 'A', updatedAt: 'today' });
    expect(await info({ title: 'B' })).toEqual({ title: 'B', updatedAt: 'today' });
    expect(await info({ title: null })).toEqual({ title: null, updatedAt: 'today' });
    expect(await info({ updatedAt: null })).toEqual({ title: null, updatedAt: null });
  });

  test('[61] v1, v2 a notice calls the listeners, and is not an entry', async () => {
    const { agent, session, conversation } = await openSession(dialect);
    const told: unknown[] = [];
    const before = conversation();
    const stop = session.onNotice((notice) => told.push(notice));
    const notice = { severity: '_odd', title: 'Low on tokens' };
    agent.update('s1', { sessionUpdate: 'notice', ...notice });
    await deliver(agent, { sessionUpdate: 'notice', ...notice, description: 'here' });
    stop();
    await deliver(agent, { sessionUpdate: 'notice', severity: 'info', title: 'Unheard' });
    expect(told).toEqual([
      { ...notice, description: null },
      { ...notice, description: 'here' },
    ]);
    expect(conversation()).toBe(before);
  });
});
