import { expect, test } from 'vitest';
import { textOf } from '../../../src/conversation/select.ts';
import type { ConversationEvent } from '../../../src/model/event.ts';
import { RequestError } from '../../../src/rpc/request-error.ts';
import { connectTo, everything, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';

const cwd = '/home/user/project';

/** An agent of version 1 without ids: what it says after its turn was once joined with the answer. */
async function unnamed() {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent.on('session/new', { sessionId: 's1' }).on('session/prompt', () => {
        say('The ');
        say('answer.');
        say('Words of the subagent.', { parentToolCallId: 't1' });
        say('Words of the main agent.');
        return { stopReason: 'end_turn' };
      }),
  });
  const say = (words: string, _meta?: object) =>
    agent.update('s1', {
      sessionUpdate: 'agent_message_chunk',
      content: text(words),
      ...(_meta && { _meta: { ..._meta } }),
    });
  const change = (update: object) => agent.update('s1', { ...update });
  const session = await connection.newSession({ cwd });
  const shown = () =>
    session.conversation.entries.flatMap((entry) =>
      entry.kind === 'message' ? [`${entry.role}: ${textOf(entry)}`] : [],
    );
  return { session, say, change, shown };
}

const firstTurn = [
  'user: hi',
  'agent: The answer.',
  'agent: Words of the subagent.',
  'agent: Words of the main agent.',
];

test('the end of a turn separates messages without ids', async () => {
  const { session, say, shown } = await unnamed();
  await session.prompt('hi');
  expect(shown()).toEqual(firstTurn);
  say('A background ');
  say('task has ended.');
  await eventually(shown).toEqual([...firstTurn, 'agent: A background task has ended.']);
});

test('an empty chunk after a turn says nothing, and does not take the separation away', async () => {
  const { session, say, shown } = await unnamed();
  const metas: unknown[] = [];
  session.onUpdate((update) => void ('_meta' in update && metas.push(update._meta)));
  await session.prompt('hi');
  say('', { usage: 7 });
  say('A background task has ended.');
  await eventually(shown).toEqual([...firstTurn, 'agent: A background task has ended.']);
  expect(metas).toContainEqual({ usage: 7 });
});

test('a tool call that ends after the turn does not join what follows it with the answer', async () => {
  const { session, say, change, shown } = await unnamed();
  change({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Wait' });
  await session.prompt('hi');
  change({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' });
  say('A background task has ended.');
  await eventually(shown).toEqual([...firstTurn, 'agent: A background task has ended.']);
});

test.each(['v1', 'v2-baseline'] as const)(
  'a session of %s is idle before its turn is shown as failed',
  async (dialect) => {
    const { connection, agent } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/new', { sessionId: 's1' }).on('session/prompt', () => {
          if (dialect === 'v1') throw new RequestError(-32603, 'No model');
          setImmediate(() => {
            const error = { code: -32603, message: 'No model' };
            agent.update('s1', { sessionUpdate: 'state_update', state: 'running' });
            agent.update('s1', { sessionUpdate: 'user_message', messageId: 'm1', content: [text('hi')] });
            agent.update('s1', { sessionUpdate: 'state_update', state: 'idle', stopReason: 'error', error });
          });
          return { messageId: 'm1' };
        }),
    });
    const session = await connection.newSession({ cwd });
    const events: ConversationEvent[] = [];
    session.onEvent((event) => void events.push(event));
    await expect(session.prompt('hi')).rejects.toThrow('No model');
    expect(agent.calls('session/prompt')).toHaveLength(1);
    const isIdle = (event: ConversationEvent) =>
      event.type === 'fields' && event.changed.activity?.state === 'idle';
    await eventually(() => events.some(isIdle)).toBe(true);
    expect(
      events.filter((event) => isIdle(event) || event.type === 'turnFailure').map(({ type }) => type),
    ).toEqual(['fields', 'turnFailure']);
  },
);
