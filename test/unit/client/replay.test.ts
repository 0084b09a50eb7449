import { expect, test } from 'vitest';
import { connectTo, dialectNames, everything, refuses } from '../../support/agents.ts';
import { cwd, openSession, outline } from '../../support/open-session.ts';
import { says } from '../../support/updates.ts';

const said = (messageId: string, text: string) =>
  ({ sessionUpdate: 'agent_message', messageId, content: [{ type: 'text', text }] }) as const;

const complete = { sessionUpdate: 'replay_complete' };

/** An agent of version 2 that replays one message, and then sends another one before its answer. */
const connectReplaying = (reply: () => object) =>
  connectTo(everything['v2-baseline'], {
    script: (agent) =>
      agent.on('session/resume', () => {
        agent.update('s1', said('m1', 'Before.'), complete, said('m2', 'Now.'));
        return reply();
      }),
  });

test('a replay that is complete ends the history: what follows is new, also before the answer', async () => {
  const progress: number[] = [];
  const { connection, diagnostics } = await connectReplaying(() => ({}));
  const session = await connection.loadSession(
    { sessionId: 's1', cwd },
    { onProgress: ({ updates }) => progress.push(updates) },
  );
  const conversation = session.conversation;
  expect(outline(conversation)).toEqual(['agent: Before.', 'agent: Now.']);
  expect(conversation.entries.map(({ origin }) => origin)).toEqual(['replay', 'live']);
  expect(progress.at(-1)).toBe(1);
  expect(diagnostics).toEqual([]);
});

test('a load that fails after its replay is complete brings back what was there', async () => {
  let isOpen = false;
  const { agent, connection } = await connectReplaying(() => {
    if (isOpen) throw new Error('The setup failed.');
    isOpen = true;
    return {};
  });
  const session = await connection.loadSession({ sessionId: 's1', cwd });
  const before = session.conversation;
  agent.on('session/resume', () => {
    agent.update('s1', said('m9', 'Replayed.'), complete);
    throw new Error('The setup failed.');
  });
  await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toThrow();
  expect(session.conversation).toEqual(before);
});

const count = 300;
const line = (index: number) =>
  `${JSON.stringify({
    jsonrpc: '2.0',
    method: 'session/update',
    params: {
      sessionId: 'kept',
      update: says('x', 'm'),
      _meta: { index },
    },
  })}\n`;
const expected = Array.from({ length: count }, (_, index) => index);

test.each(dialectNames)(
  'in %s, onUpdate of a first load has each update of the replay in order, with its _meta',
  async (dialect) => {
    const replay = () => {
      agent.channel.write(Buffer.from(expected.map(line).join('')));
      return {};
    };
    const { agent, connection } = await openSession(dialect, {
      answers: { 'session/load': replay, 'session/resume': replay, 'session/close': {} },
    });
    for (const open of ['loadSession', 'openSession'] as const) {
      const seen: unknown[] = [];
      const session = await connection[open](
        { sessionId: 'kept', cwd: '/p' },
        { onUpdate: (_, { meta }) => seen.push(meta?.['index']) },
      );
      expect(seen).toEqual(expected);
      agent.channel.write(Buffer.from(line(count)));
      await agent.request('_flush').catch(() => {});
      expect(seen).toEqual([...expected, count]);
      await session.close();
    }
  },
);

test.each(dialectNames)('in %s, onUpdate of a load that failed is not called any more', async (dialect) => {
  const refuse = refuses(-32603, 'not now');
  const { agent, connection, session } = await openSession(dialect, {
    answers: { 'session/load': refuse, 'session/resume': refuse },
  });
  const seen: unknown[] = [];
  const load = connection.loadSession({ sessionId: 's1', cwd: '/p' }, { onUpdate: () => seen.push('late') });
  await expect(load).rejects.toThrow('not now');
  agent.update('s1', { sessionUpdate: 'session_info_update', title: 'Later' });
  await agent.request('_flush').catch(() => {});
  expect(session.conversation.info.title).toBe('Later');
  expect(seen).toEqual([]);
});
