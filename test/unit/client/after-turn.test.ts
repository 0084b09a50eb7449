import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { textOf } from '../../../src/core/conversation/select.ts';
import type { ConversationEvent } from '../../../src/core/model/event.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { everything, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { connectFlushable, cwd, flush, openSession } from '../../support/open-session.ts';
import { stateUpdate, toolCall, toolCallUpdate, userMessage } from '../../support/updates.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** The agent is silent for so long that what follows is no part of the turn. */
const pause = () => vi.advanceTimersByTime(251);

/** An agent of version 1 without ids: what it says after its turn was once joined with the answer. */
async function unnamed() {
  const { agent, connection } = await connectFlushable(everything.v1, {
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
  /** The messages, when everything that the agent has sent is folded. */
  const shown = async () => {
    await flush(agent);
    return session.conversation.entries.flatMap((entry) =>
      entry.kind === 'message' ? [`${entry.role}: ${textOf(entry)}`] : [],
    );
  };
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
  expect(await shown()).toEqual(firstTurn);
  pause();
  say('A background ');
  say('task has ended.');
  expect(await shown()).toEqual([...firstTurn, 'agent: A background task has ended.']);
});

test('the last words of a turn can come after the answer to the prompt', async () => {
  const { session, say, shown } = await unnamed();
  await session.prompt('hi');
  const joined = (words: string) => [...firstTurn.slice(0, -1), `${firstTurn.at(-1)}${words}`];
  vi.advanceTimersByTime(250);
  say(' They are');
  expect(await shown()).toEqual(joined(' They are'));
  vi.advanceTimersByTime(250);
  say(' late.');
  expect(await shown()).toEqual(joined(' They are late.'));
  pause();
  say('A background task has ended.');
  expect(await shown()).toEqual([...joined(' They are late.'), 'agent: A background task has ended.']);
});

test('an empty chunk after a turn says nothing, and does not take the separation away', async () => {
  const { session, say, shown } = await unnamed();
  const metas: unknown[] = [];
  session.onUpdate((update) => void ('_meta' in update && metas.push(update._meta)));
  await session.prompt('hi');
  pause();
  say('', { usage: 7 });
  say('A background task has ended.');
  expect(await shown()).toEqual([...firstTurn, 'agent: A background task has ended.']);
  expect(metas).toContainEqual({ usage: 7 });
});

test('a tool call that ends after the turn does not join what follows it with the answer', async () => {
  const { session, say, change, shown } = await unnamed();
  change(toolCall('v1', { title: 'Wait' }));
  await session.prompt('hi');
  pause();
  change(toolCallUpdate({ status: 'completed' }));
  say('A background task has ended.');
  expect(await shown()).toEqual([...firstTurn, 'agent: A background task has ended.']);
});

test.each(['v1', 'v2-baseline'] as const)(
  'a session of %s is idle before its turn is shown as failed',
  async (dialect) => {
    const { agent, session } = await openSession(dialect, {
      script: (agent) =>
        agent.on('session/prompt', (_, agent) => {
          if (dialect === 'v1') throw new RequestError(-32603, 'No model');
          setImmediate(() => {
            const error = { code: -32603, message: 'No model' };
            agent.update('s1', stateUpdate('running'));
            agent.update('s1', userMessage('m1', 'hi'));
            agent.update('s1', stateUpdate('idle', { stopReason: 'error', error }));
          });
          return { messageId: 'm1' };
        }),
    });
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
