import { describe, expect, test } from 'vitest';
import type { PromptTurn } from '../../../src/core/client/session/turn.ts';
import { maxKeptChanges, maxKeptCharacters } from '../../../src/core/client/session/turn-events.ts';
import type { ConversationEvent } from '../../../src/core/model/event.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { dialectNames, refuses, settle, text } from '../../support/agents.ts';
import {
  deliver,
  eventsOf,
  flush,
  type OpenSessionOptions,
  openSession,
} from '../../support/open-session.ts';
import { unhandledErrors } from '../../support/unhandled-errors.ts';
import {
  endTurn,
  permissionParams,
  repeats,
  says,
  stateUpdate,
  toolCall,
  toolCallUpdate,
  userMessage,
  working,
} from '../../support/updates.ts';

const thought = (said: string) => ({
  sessionUpdate: 'agent_thought_chunk',
  messageId: 't1',
  content: text(said),
});

/** A session whose agent works on its prompts, and does nothing else by itself. `end` ends the turn. */
async function openTurns(dialect: DialectName, options: OpenSessionOptions = {}) {
  const opened = await openSession(dialect, {
    ...options,
    script(agent) {
      working(dialect)(agent);
      options.script?.(agent);
    },
  });
  return { ...opened, end: (stopReason: string) => void endTurn(dialect, opened.agent, stopReason) };
}

/** The same, with a turn that the agent works on. */
async function openTurn(dialect: DialectName, options?: OpenSessionOptions) {
  const opened = await openTurns(dialect, options);
  const turn = opened.session.prompt('Go.');
  await opened.agent.called('session/prompt');
  return { ...opened, turn };
}

/** An event in one short line. Fields such as the activity are left out. */
function inShort(event: ConversationEvent): string[] {
  switch (event.type) {
    case 'text':
    case 'thought':
    case 'userText':
      return [`${event.type}: ${event.text}`];
    case 'toolCall':
      return [`toolCall: ${event.toolCall.title} ${event.toolCall.status}${event.isNew ? ' new' : ''}`];
    case 'permission':
      return [`permission: ${event.permission.title} ${event.permission.options.length}`];
    case 'plan':
      return [
        `plan: ${event.plan.type === 'items' ? event.plan.entries.map(({ content }) => content) : '?'}`,
      ];
    case 'fields':
      return [];
    default:
      return [event.type];
  }
}

async function readAll(events: AsyncIterable<ConversationEvent>): Promise<string[]> {
  const seen: string[] = [];
  for await (const event of events) seen.push(...inShort(event));
  return seen;
}

const textIn = (events: readonly ConversationEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('');

describe.each(dialectNames)('a loop over a turn (%s)', (dialect) => {
  test('gives what happens in the turn, in the order of the wire', async () => {
    const { agent, turn, end } = await openTurn(dialect, { handlers: { requestPermission: () => 'yes' } });
    const seen = readAll(turn);
    const entries = [{ content: 'Look', priority: 'high', status: 'pending' }];
    agent.update(
      's1',
      thought('Hm.'),
      says('Hel', 'm1'),
      says('lo', 'm1'),
      toolCall(dialect, { status: 'pending' }),
      dialect === 'v1'
        ? { sessionUpdate: 'plan', entries }
        : { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries } },
    );
    await agent.request('session/request_permission', permissionParams(dialect));
    agent.update('s1', toolCallUpdate({ status: 'completed' }), says('!', 'm1'));
    end('end_turn');
    expect(await seen).toEqual([
      'thought: Hm.',
      'text: Hel',
      'text: lo',
      'toolCall: Write pending new',
      'plan: Look',
      `permission: ${dialect === 'v1' ? 'Write' : 'Write?'} 1`,
      'toolCall: Write pending',
      'toolCall: Write completed',
      'text: !',
    ]);
  });

  test('ends with the turn, and the turn is still a promise of its result', async () => {
    const { agent, turn, end } = await openTurn(dialect);
    const seen = readAll(turn);
    agent.update('s1', says('One.', 'm1'));
    end('max_tokens');
    // Sent with the end of the turn, and not part of it.
    agent.update('s1', says('Two.', 'm2'));
    expect(await seen).toEqual(['text: One.']);
    expect(await turn).toMatchObject({ stopReason: 'max_tokens' });
    // A loop that begins late gets the same events.
    expect(await readAll(turn)).toEqual(['text: One.']);
  });

  test('throws the error of a turn that fails, after everything that came before', async () => {
    const { agent, turn } = await openTurn(dialect);
    const seen: string[] = [];
    const loop = (async () => {
      for await (const event of turn) seen.push(...inShort(event));
    })();
    const { id = '' } = await agent.called('session/prompt');
    agent.update('s1', says('Half', 'm1'));
    const error = { code: -32603, message: 'Overloaded' };
    if (dialect === 'v1') agent.channel.send({ jsonrpc: '2.0', id, error });
    else agent.update('s1', stateUpdate('idle', { stopReason: 'error', error }));
    await expect(loop).rejects.toThrow('Overloaded');
    expect(seen).toEqual(['text: Half', 'turnFailure']);
    await expect(turn).rejects.toThrow('Overloaded');
  });

  test('that reads on after the error gets the end, as from a generator', async () => {
    const { agent, turn } = await openTurn(dialect);
    const iterator = turn[Symbol.asyncIterator]();
    const waiting = Array.from({ length: 10 }, () => iterator.next());
    turn.catch(() => {});
    agent.channel.exit();
    const outcomes = await Promise.allSettled(waiting);
    const failed = outcomes.findIndex(({ status }) => status === 'rejected');
    expect(outcomes[failed]).toMatchObject({ reason: { code: 'connection.closed' } });
    const after = outcomes.slice(failed + 1);
    expect(after.length).toBeGreaterThan(3);
    for (const outcome of after)
      expect(outcome).toMatchObject({ status: 'fulfilled', value: { done: true } });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test('that was left gives no error when the turn fails later', async () => {
    const { agent, turn } = await openTurn(dialect);
    const iterator = turn.events[Symbol.asyncIterator]();
    await iterator.return?.();
    agent.channel.exit();
    await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
    await settle();
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test('throws the reason of a signal that aborts the prompt', async () => {
    const { agent, session } = await openTurns(dialect);
    const user = new AbortController();
    const loop = readAll(session.prompt('Go.', { signal: user.signal }));
    await agent.called('session/prompt');
    user.abort('enough');
    await expect(loop).rejects.toBe('enough');
  });

  test('throws what refuses the prompt before it is sent, and can be left then', async () => {
    const { agent, session } = await openTurns(dialect);
    await expect(readAll(session.prompt(''))).rejects.toMatchObject({ code: 'usage.params' });
    const turn = session.prompt('');
    expect(await turn[Symbol.asyncIterator]().return?.()).toEqual({ done: true, value: undefined });
    await expect(turn.accepted).rejects.toMatchObject({ code: 'usage.params' });
    await expect(turn).rejects.toMatchObject({ code: 'usage.params' });
    expect(agent.calls('session/cancel')).toEqual([]);
  });

  test.each([
    ['that is left cancels the turn', 'cancelled', (turn: PromptTurn) => turn],
    ['over its events leaves the turn alone', 'end_turn', ({ events }: PromptTurn) => events],
  ] as const)('%s', async (_, stopReason, loopOver) => {
    const { agent, turn, end } = await openTurn(dialect);
    const left = (async () => {
      for await (const event of loopOver(turn)) if (event.type === 'text') break;
    })();
    agent.update('s1', says('One.', 'm1'));
    await left;
    if (stopReason === 'cancelled') await agent.called('session/cancel');
    end(stopReason);
    expect(await turn).toMatchObject({ stopReason });
    await flush(agent);
    expect(agent.calls('session/cancel')).toHaveLength(stopReason === 'cancelled' ? 1 : 0);
  });

  test('that is left after the turn ended does not cancel the next one', async () => {
    const { agent, session, turn, end } = await openTurn(dialect);
    const events = turn[Symbol.asyncIterator]();
    agent.update('s1', says('One.', 'm1'));
    end('end_turn');
    await turn;
    const next = session.prompt('More.');
    await agent.called('session/prompt', 2);
    await events.return?.();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await flush(agent);
    expect(agent.calls('session/cancel')).toEqual([]);
    next.catch(() => {});
  });

  test('that is slow misses nothing', async () => {
    const { agent, turn, end } = await openTurn(dialect);
    const seen: ConversationEvent[] = [];
    const loop = (async () => {
      for await (const event of turn) {
        seen.push(event);
        await settle();
      }
    })();
    const parts = Array.from({ length: 20 }, (_, index) => `${index} `);
    agent.update('s1', ...parts.map((part) => says(part, 'm1')));
    end('end_turn');
    await turn;
    expect(textIn(seen)).not.toBe(parts.join(''));
    await loop;
    expect(textIn(seen)).toBe(parts.join(''));
  });

  test('reports the tool calls that the turn leaves unfinished', async () => {
    const { agent, turn, end } = await openTurn(dialect);
    const seen = readAll(turn);
    agent.update('s1', toolCall(dialect, { status: 'in_progress' }));
    end('cancelled');
    expect(await seen).toEqual(['toolCall: Write in_progress new', 'toolCall: Write cancelled']);
  });
});

describe.each(dialectNames.filter((name) => name !== 'v1'))(
  'a message that is sent as a whole (%s)',
  (dialect) => {
    test('is given as what it adds, or as a replacement', async () => {
      const { agent, turn, end } = await openTurn(dialect);
      const seen = readAll(turn);
      const whole = (said: string) => ({
        sessionUpdate: 'agent_message',
        messageId: 'm1',
        content: [text(said)],
      });
      agent.update('s1', says('Hel', 'm1'), whole('Hello'), whole('Hello'), whole('Bye'));
      end('end_turn');
      expect(await seen).toEqual(['text: Hel', 'text: lo', 'messageReplaced']);
    });

    test('of the user is the prompt itself, and no event', async () => {
      const { agent, turn, end } = await openTurn(dialect);
      const seen = readAll(turn);
      agent.update(
        's1',
        userMessage('u1', 'Go!'),
        userMessage('other', 'Of another client.'),
        says('One.', 'm1'),
      );
      end('end_turn');
      expect(await seen).toEqual(['userText: Of another client.', 'text: One.']);
    });
  },
);

test('two turns at once each give all events until they end, also to a late loop: the agent does not say what belongs to which', async () => {
  const { agent, session } = await openTurns('v1');
  const turns = [session.prompt('One.'), session.prompt('Two.')] as const;
  const loops = turns.map((turn) => readAll(turn));
  const ids = [await agent.called('session/prompt'), await agent.called('session/prompt', 2)];
  await deliver(agent, says('a', 'm1'));
  agent.answer(ids[0]?.id ?? '', { stopReason: 'end_turn' });
  agent.update('s1', says('b', 'm1'));
  agent.answer(ids[1]?.id ?? '', { stopReason: 'end_turn' });
  const expected = [['text: a'], ['text: a', 'text: b']];
  expect(await Promise.all(loops)).toEqual(expected);
  expect(await Promise.all(turns.map((turn) => readAll(turn)))).toEqual(expected);
});

test('a turn that is not iterated rejects without an unhandled rejection, and keeps no events', async () => {
  const unhandled = unhandledErrors();
  const { agent, session } = await openSession('v1', {
    answers: { 'session/prompt': refuses(-32603, 'no') },
  });
  const turn = session.prompt('Go.');
  await agent.called('session/prompt');
  await settle();
  expect(unhandled).toEqual([]);
  await expect(readAll(turn)).rejects.toThrow('no');
});

describe.each(dialectNames)('a late loop over a turn (%s)', (dialect) => {
  const bigText = 'x'.repeat(maxKeptCharacters / 8);

  test('begins with the first event, after the agent accepted the prompt and after the turn', async () => {
    const { agent, turn, end } = await openTurn(dialect);
    const early = events(turn);
    await deliver(
      agent,
      says('One.', 'm1'),
      toolCallUpdate({ title: 'Look', status: 'pending' }),
      { sessionUpdate: 'usage_update', used: 1, size: 2 },
      says('Two.', 'm1'),
    );
    const inside = events(turn);
    agent.update('s1', says('Three.', 'm1'));
    end('end_turn');
    await turn.accepted;
    const atEnd = events(turn);
    await turn;
    const expected = await early;
    expect(expected.flatMap(inShort).join()).toContain('text: One.');
    for (const late of [inside, atEnd, events(turn)]) expect(await late).toEqual(expected);
  });

  test('gets no event twice if a listener begins it', async () => {
    const { agent, session, end } = await openTurns(dialect);
    const turn = session.prompt('Go.');
    const loops: Promise<readonly ConversationEvent[]>[] = [];
    session.onEvent(() => {
      loops.push(events(turn));
    });
    await agent.called('session/prompt');
    agent.update('s1', says('One.', 'm1'), says('Two.', 'm1'), says('Three.', 'm2'));
    end('end_turn');
    await turn;
    const expected = await events(turn);
    expect(expected.length).toBeGreaterThan(2);
    expect(loops.length).toBeGreaterThan(1);
    for (const loop of loops) expect(await loop).toEqual(expected);
  });

  test.each([
    ['changes', maxKeptChanges + 1, 'x'],
    ['characters', 9, bigText],
  ])('[reliability: limit-turn-events] throws after more %s than are kept', async (_, count, said) => {
    const { agent, turn, end } = await openTurn(dialect);
    const early = events(turn);
    const kept = count - (said === bigText ? 2 : 100);
    for (let index = 0; index < kept; index++) agent.update('s1', says(said, 'm1'));
    await flush(agent);
    const inTime = events(turn);
    for (let index = kept; index < count; index++) agent.update('s1', says(said, 'm1'));
    await flush(agent);
    await expect(events(turn)).rejects.toMatchObject({
      code: 'usage.state',
      method: 'session/prompt',
      message: expect.stringContaining('began too late'),
    });
    end('end_turn');
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    await expect(events(turn)).rejects.toThrow('began too late');
    // The others have all of it.
    for (const loop of [early, inTime]) expect(textIn(await loop)).toHaveLength(count * said.length);
  });
});

/** Reads a loop that does not cancel the turn. */
async function events(turn: PromptTurn): Promise<readonly ConversationEvent[]> {
  const seen: ConversationEvent[] = [];
  for await (const event of turn.events) seen.push(event);
  return seen;
}

describe.each(dialectNames)('a listener for events (%s)', (dialect) => {
  test.each([
    ['gets every event in order', undefined, ['text: before', 'text: in', 'text: after']],
    ['gets every event in order, with the default,', 'always', ['text: before', 'text: in', 'text: after']],
    ['gets what happens outside of turns, and nothing of a turn,', 'idle', ['text: before', 'text: after']],
  ] as const)('%s with during: %s', async (_, during, expected) => {
    const { agent, session, end } = await openTurns(dialect);
    const seen: string[] = [];
    const stop = session.onEvent((event) => seen.push(...inShort(event)), during && { during });
    await deliver(agent, says('before', 'm1'));
    const turn = session.prompt('Go.');
    await agent.called('session/prompt');
    agent.update('s1', says('in', 'm1'));
    end('end_turn');
    await turn;
    await deliver(agent, says('after', 'm2'));
    stop();
    await deliver(agent, says('later', 'm3'));
    expect(seen).toEqual(expected);
  });

  test('gets changed fields', async () => {
    const { agent, session } = await openTurns(dialect);
    const seen = eventsOf(session);
    await deliver(
      agent,
      { sessionUpdate: 'usage_update', used: 1, size: 2 },
      { sessionUpdate: 'usage_update', used: 1, size: 2 },
      { sessionUpdate: 'session_info_update', title: 'A title' },
    );
    expect(seen).toEqual([
      { type: 'fields', changed: { usage: { used: 1, size: 2, cost: null } } },
      { type: 'fields', changed: { info: { title: 'A title', updatedAt: null } } },
    ]);
  });

  test('misses nothing when another one is added by the end of a request', async () => {
    const { agent, session } = await openTurns(dialect, {
      handlers: {
        requestPermission: (_request, { session, signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              session?.onEvent(() => {});
              resolve({ outcome: 'cancelled' });
            });
          }),
      },
    });
    const seen: string[] = [];
    session.onEvent((event) => seen.push(...inShort(event)));
    const asked = agent.request('session/request_permission', permissionParams(dialect));
    await flush(agent);
    expect(seen).toEqual(['toolCall: Write pending new', expect.stringMatching(/^permission: Write.? 1$/)]);
    agent.update('s1', toolCallUpdate({ status: 'completed' }));
    await asked;
    expect(seen.slice(2)).toContain('toolCall: Write completed');
  });

  test('gets notices, and so do a loop and a late loop', async () => {
    const { agent, session, turn, end } = await openTurn(dialect);
    const seen: string[] = [];
    session.onEvent((event) => seen.push(...inShort(event)));
    const looped = readAll(turn);
    agent.update('s1', { sessionUpdate: 'notice', severity: 'error', title: 'Look' });
    end('end_turn');
    const late = looped.then(() => readAll(turn.events));
    for (const events of [await looped, await late, seen]) {
      expect(events.filter((event) => event === 'notice')).toHaveLength(1);
    }
  });

  test('that throws is reported, and may begin a turn', async () => {
    const { agent, session, diagnostics, end } = await openTurns(dialect);
    session.onEvent(() => {
      throw new Error('mine');
    });
    let turn: Promise<unknown> | undefined;
    const stop = session.onEvent(() => {
      stop();
      turn = session.prompt('Go.');
    });
    agent.update('s1', says('before', 'm1'));
    await agent.called('session/prompt');
    end('end_turn');
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(diagnostics.map(({ rule }) => rule)).toContain('subscriber.failed');
  });
});

test('a load of an open session is a reset and the replay', async () => {
  const { agent, connection, session } = await openTurns('v1', {
    script: (agent) =>
      agent.on('session/load', () => {
        agent.update('s1', repeats('Then.'), says('Now.', 'm1'));
        return {};
      }),
  });
  await deliver(agent, says('before', 'm1'));
  const seen = eventsOf(session);
  await connection.loadSession({ sessionId: 's1', cwd: session.cwd });
  expect(seen.flatMap(inShort)).toEqual(['reset', 'userText: Then.', 'text: Now.']);
  expect(seen.find(({ type }) => type === 'text')).toMatchObject({ origin: 'replay' });
});
