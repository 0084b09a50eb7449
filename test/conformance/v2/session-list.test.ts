import { expect, test } from 'vitest';
import { connectTo, everything } from '../../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sentSinceInitialize,
} from '../../support/open-session.ts';

const full = everything['v2-baseline'];

test('[27] v2 the filter of a list is an absolute path', async () => {
  const { agent, connection } = await connectFlushable(full);
  await expect(connection.listSessions({ cwd: '~/project' }).page()).rejects.toMatchObject({
    code: 'usage.params',
    issues: [{ path: 'cwd' }],
  });
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});

test('[16,64] v2 the empty string is a cursor, and null is the end', async () => {
  const pages: Record<string, object> = {
    none: { sessions: [{ sessionId: 'a', cwd }], nextCursor: '' },
    '': { sessions: [{ sessionId: 'b', cwd }], nextCursor: null },
  };
  const { agent, connection } = await connectTo(full, {
    answers: { 'session/list': ({ cursor }) => pages[(cursor as string) ?? 'none'] },
  });
  const ids: string[] = [];
  for await (const { sessionId } of connection.listSessions()) ids.push(sessionId);
  expect(ids).toEqual(['a', 'b']);
  expect(agent.calls('session/list').map(({ params }) => params)).toEqual([{}, { cursor: '' }]);
});

test('[63] v2 additionalDirectories of a session are those of the last list', async () => {
  const pages = [
    { sessionId: 'a', cwd, additionalDirectories: ['/x', '/y'] },
    { sessionId: 'a', cwd, additionalDirectories: null },
  ];
  const { connection } = await connectTo(full, {
    answers: { 'session/list': () => ({ sessions: [pages.shift()] }) },
  });
  const listed = async () => (await connection.listSessions().page()).sessions[0]?.additionalDirectories;
  expect([await listed(), await listed()]).toEqual([['/x', '/y'], undefined]);
});

test('[62] v2 session_info_update: null clears, and what is omitted stays', async () => {
  const { agent, conversation } = await openSession('v2-baseline');
  const info = async (update: object) => {
    agent.update('s1', { sessionUpdate: 'session_info_update', ...update });
    await flush(agent);
    return conversation().info;
  };
  expect(await info({ title: 'A', updatedAt: 'today' })).toEqual({ title: 'A', updatedAt: 'today' });
  expect(await info({ updatedAt: null })).toEqual({ title: 'A', updatedAt: null });
  expect(await info({ title: null })).toEqual({ title: null, updatedAt: null });
});
