import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deferred } from '../../../src/core/base/wait.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { type Answer, noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, refuses, settle } from '../../support/agents.ts';
import {
  flush,
  messages,
  type OpenSessionOptions,
  openSession,
  outline,
} from '../../support/open-session.ts';
import { permissionParams, says, stateUpdate, toolCall, toolCallUpdate } from '../../support/updates.ts';

describe('the end of turns in version 1', () => {
  const answering = (answer: Answer | typeof noAnswer, options: OpenSessionOptions = {}) =>
    openSession('v1', { answers: { 'session/prompt': answer }, ...options });

  test('[agents: failure-as-text] a failed turn that the agent ends with end_turn resolves', async () => {
    const replies = ['API error: 400', undefined];
    const { session } = await answering((_, agent) => {
      const said = replies.shift();
      if (said) agent.update('s1', says(said));
      return { stopReason: 'end_turn' };
    });
    expect(await session.prompt('Fail.')).toMatchObject({ stopReason: 'end_turn' });
    expect(await session.prompt('Fail.')).toMatchObject({ stopReason: 'end_turn' });
    expect(session.conversation.entries).toHaveLength(3);
  });

  test('[agents: second-prompt-queued] a second prompt is sent while the first runs, and each ends with its own answer', async () => {
    const { agent, session } = await answering(noAnswer);
    const [first, second] = [session.prompt('One.'), session.prompt('Two.')];
    const [one, two] = [await agent.called('session/prompt'), await agent.called('session/prompt', 2)];
    agent.answer(two.id ?? '', { stopReason: 'end_turn' });
    expect(await second).toMatchObject({ stopReason: 'end_turn' });
    expect(session.conversation.activity.state).toBe('running');
    agent.answer(one.id ?? '', { stopReason: 'cancelled' });
    expect(await first).toMatchObject({ stopReason: 'cancelled' });
    expect(session.conversation.activity.state).toBe('idle');
  });

  test('[agents: second-prompt-aborts] a first prompt that is refused because of the second does not affect the second', async () => {
    const aborted = deferred<never>();
    const { session } = await answering(({ prompt }) =>
      JSON.stringify(prompt).includes('One') ? aborted.promise : { stopReason: 'end_turn' },
    );
    const first = session.prompt('One.');
    expect(await session.prompt('Two.')).toMatchObject({ stopReason: 'end_turn' });
    aborted.reject(new RequestError(-32603, 'aborted'));
    await expect(first).rejects.toMatchObject({ rpcCode: -32603 });
    expect(session.conversation.activity.state).toBe('idle');
  });

  test('a prompt that is aborted while the login dialog is open is not sent after the login', async () => {
    const loggedIn = deferred();
    const connect = { onAuthRequired: () => loggedIn.promise };
    const { agent, session } = await answering(refuses(-32000, 'Log in first.'), { connect });
    const user = new AbortController();
    const turn = session.prompt('Go.', { signal: user.signal }).catch((reason: unknown) => reason);
    await settle();
    user.abort('enough');
    expect(await turn).toBe('enough');
    loggedIn.resolve();
    await settle();
    expect(agent.calls('session/prompt')).toHaveLength(1);
    expect(session.conversation.activity.state).toBe('idle');
  });

  test('[agents: cancel-request-ignored] an aborted prompt rejects at once, and sends both kinds of cancellation', async () => {
    const { agent, session } = await answering(noAnswer);
    const user = new AbortController();
    const turn = session.prompt('One.', { signal: user.signal });
    const { id } = await agent.called('session/prompt');
    user.abort('enough');
    await expect(turn).rejects.toBe('enough');
    await agent.called('session/cancel');
    expect(agent.calls('$/cancel_request').map(({ params }) => params)).toEqual([{ requestId: id }]);
    // The agent ends the turn in its own time, and the session is at rest only then.
    expect(session.conversation.activity.state).toBe('running');
    agent.answer(id ?? '', { stopReason: 'cancelled' });
    await settle();
    expect(session.conversation.activity.state).toBe('idle');
  });

  test.each(['cancelled', 'end_turn'])(
    '[agents: refusal-ends-turn] a turn that ends with %s after a refused permission leaves no tool call open',
    async (stopReason) => {
      const { session } = await answering(
        async (_, agent) => {
          agent.update('s1', toolCall('v1', { status: 'pending' }));
          await agent.request('session/request_permission', permissionParams('v1'));
          return { stopReason };
        },
        { handlers: { requestPermission: () => 'yes' } },
      );
      expect(await session.prompt('Write.')).toMatchObject({ stopReason });
      expect(session.conversation.entries[1]).toMatchObject({ status: 'cancelled', permission: null });
    },
  );
});

test.each([
  ['end_turn', 'in_progress'],
  ['refusal', 'in_progress'],
  ['cancelled', 'cancelled'],
  ['error', 'cancelled'],
])(
  'in version 1, a command that runs when its turn ends with %s is shown as %s',
  async (stopReason, shown) => {
    const { agent, session, conversation } = await openSession('v1', {
      answers: {
        'session/prompt': (_, by) => {
          by.update('s1', toolCall('v1', { status: 'in_progress' }));
          return stopReason === 'error' ? refuses(-32603, 'No.')() : { stopReason };
        },
        'session/close': {},
      },
    });
    await session.prompt('Go.').catch(() => {});
    expect(outline(conversation())[1]).toBe(`t1: ${shown}`);
    agent.update('s1', toolCallUpdate({ status: 'in_progress' }));
    await session.close();
    expect(outline(conversation())[1]).toBe('t1: cancelled');
  },
);

describe.each(dialectNames)('the usage of a turn, in %s', (dialect) => {
  const usage = { totalTokens: 120, inputTokens: 100, outputTokens: 20 };

  /** An agent that reports the usage of its first turn only. */
  const script = (agent: ScriptedAgent) =>
    agent.on('session/prompt', (_params, agent, id) => {
      const isFirst = agent.calls('session/prompt').length === 1;
      const end = { stopReason: 'end_turn', ...(isFirst && { usage }) };
      if (dialect === 'v1') return end;
      agent.answer(id, { messageId: `u${id}` });
      agent.update('s1', stateUpdate('idle', end));
      return noAnswer;
    });

  test('is in the result of the prompt and in the activity until the next turn', async () => {
    const { session, conversation } = await openSession(dialect, { script });
    expect((await session.prompt('One.')).usage).toEqual(usage);
    expect(conversation().activity).toEqual({ state: 'idle', stopReason: 'end_turn', usage });
    const second = session.prompt('Two.');
    if (dialect === 'v1') expect(conversation().activity).toEqual({ state: 'running', stopReason: null });
    expect(await second).not.toHaveProperty('usage');
    expect(conversation().activity).toEqual({ state: 'idle', stopReason: 'end_turn' });
  });
});

describe('messages without ids after a turn', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  /** The agent is silent for so long that what follows is no part of the turn. */
  const pause = () => vi.advanceTimersByTime(251);

  /** An agent of version 1 without ids: what it says after its turn was once joined with the answer. */
  async function unnamed() {
    const { agent, session, conversation } = await openSession('v1', {
      answers: {
        'session/prompt': () => {
          say('The ');
          say('answer.');
          say('Words of the subagent.', { parentToolCallId: 't1' });
          say('Words of the main agent.');
          return { stopReason: 'end_turn' };
        },
      },
    });
    const say = (words: string, _meta?: object) =>
      agent.update('s1', { ...says(words), ...(_meta && { _meta }) });
    /** The messages, when everything that the agent has sent is folded. */
    const shown = async () => {
      await flush(agent);
      return messages(conversation()).map((message) => `${message.role}: ${textOf(message)}`);
    };
    return { agent, session, say, shown };
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
    const { agent, session, say, shown } = await unnamed();
    agent.update('s1', toolCall('v1', { title: 'Wait' }));
    await session.prompt('hi');
    pause();
    agent.update('s1', toolCallUpdate({ status: 'completed' }));
    say('A background task has ended.');
    expect(await shown()).toEqual([...firstTurn, 'agent: A background task has ended.']);
  });
});
