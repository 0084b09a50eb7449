import { expect, test } from 'vitest';
import { connectTo, everything } from '../../support/agents.ts';
import { outline } from '../../support/open-session.ts';

const cwd = '/home/user/project';

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
