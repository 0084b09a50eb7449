import { expect, test } from 'vitest';
import { connectTo, everything } from '../../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sentSinceInitialize,
} from '../../support/open-session.ts';

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

test('[27] v1 the filter of a list is an absolute path', async () => {
  const { agent, connection } = await connectFlushable(everything.v1);
  await expect(connection.listSessions({ cwd: '.' }).page()).rejects.toMatchObject({
    code: 'usage.params',
    issues: [{ path: 'cwd' }],
  });
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});

test.each([[{ sessions: [] }], [{ sessions: [], nextCursor: null }]])(
  '[64] v1 nextCursor %j is the last page',
  async (page) => {
    const { agent, connection } = await connectTo(everything.v1, {
      answers: { 'session/list': page },
    });
    for await (const _ of connection.listSessions()) expect.unreachable();
    expect(agent.calls('session/list').map(({ params }) => params)).toEqual([{}]);
  },
);

test.each(['', ' {"offset":10}/\u00e4+%20'])('[64] v1 the cursor %j is sent unchanged', async (cursor) => {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent.on('session/list', (params) =>
        params['cursor'] === undefined ? { sessions: [], nextCursor: cursor } : { sessions: [] },
      ),
  });
  for await (const _ of connection.listSessions({ cwd })) expect.unreachable();
  expect(agent.calls('session/list').map(({ params }) => params)).toEqual([{ cwd }, { cwd, cursor }]);
});

test('[63] v1 additionalDirectories of a session are those of the last list', async () => {
  const pages = [
    { sessionId: 'a', cwd, additionalDirectories: ['/x', '/y'] },
    { sessionId: 'a', cwd, additionalDirectories: ['/z'] },
    { sessionId: 'a', cwd },
  ];
  const { connection } = await connectTo(everything.v1, {
    answers: { 'session/list': () => ({ sessions: [pages.shift()] }) },
  });
  const listed = async () => (await connection.listSessions().page()).sessions[0]?.additionalDirectories;
  expect([await listed(), await listed(), await listed()]).toEqual([['/x', '/y'], ['/z'], undefined]);
});

test('[62] v1 session_info_update: null clears, and what is omitted stays', async () => {
  const { agent, conversation } = await openSession('v1');
  const info = async (update: object) => {
    agent.update('s1', { sessionUpdate: 'session_info_update', ...update });
    await flush(agent);
    return conversation().info;
  };
  expect(await info({ title: 'A', updatedAt: '2026-01-01T00:00:00Z' })).toEqual({
    title: 'A',
    updatedAt: '2026-01-01T00:00:00Z',
  });
  expect(await info({ title: 'B' })).toEqual({ title: 'B', updatedAt: '2026-01-01T00:00:00Z' });
  expect(await info({ title: null })).toEqual({ title: null, updatedAt: '2026-01-01T00:00:00Z' });
  expect(await info({ updatedAt: null })).toEqual({ title: null, updatedAt: null });
});
