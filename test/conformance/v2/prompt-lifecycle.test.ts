import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { textOf } from '../../../src/core/conversation/select.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { text } from '../../support/agents.ts';
import { deliver, flush, foldedIn, messages, openSession, outline } from '../../support/open-session.ts';
import { says, stateUpdate, toolCallUpdate } from '../../support/updates.ts';
import { endsTurn, failsTurn, turnOrders } from '../dialects.ts';

const chunk = (messageId: string, said: string, role = 'agent_message') => ({
  ...says(said, messageId),
  sessionUpdate: `${role}_chunk`,
});
const message = (messageId: string, content?: readonly object[] | null, role = 'agent_message') => ({
  sessionUpdate: role,
  messageId,
  ...(content !== undefined && { content }),
});
const call = (toolCallId: string, status = 'in_progress') => toolCallUpdate({ status }, toolCallId);

const ask = (toolCallId: string | null): JsonObject => ({
  sessionId: 's1',
  title: 'May I?',
  ...(toolCallId !== null && { subject: { type: 'tool_call', toolCall: { toolCallId } } }),
  options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
});

/** Folds updates of a running session. */
const folded = (...updates: readonly object[]) => foldedIn('v2-baseline', ...updates);

/** Takes a prompt and lets it run until the test says otherwise. */
function working(agent: ScriptedAgent) {
  agent.on('session/prompt', (_params, agent, id) => {
    agent.update('s1', message('u1', [text('Go')], 'user_message'), stateUpdate('running'));
    agent.answer(id, { messageId: 'u1' });
    return noAnswer;
  });
}

test('[26] v2 a raw empty prompt is refused, also with allowUnsupported', async () => {
  const { agent, connection } = await openSession('v2-baseline');
  const params = { sessionId: 's1', prompt: [] };
  await expect(connection.request('session/prompt', params)).rejects.toMatchObject({ code: 'usage.params' });
  await expect(
    connection.request('session/prompt', params, { allowUnsupported: true }),
  ).rejects.toMatchObject({ code: 'usage.params' });
  await flush(agent);
  expect(agent.calls('session/prompt')).toEqual([]);
});

test('[46,47] v2 ids are only compared, and only with those of the same role', async () => {
  for (const id of ['', '0', '__proto__', 'constructor', '\u2028']) {
    const { conversation } = await folded(
      chunk(id, 'Hm', 'agent_thought'),
      chunk(id, 'So'),
      chunk(`${id}x`, 'other'),
      chunk(id, '.', 'agent_thought'),
      chunk(id, '!'),
    );
    expect(outline(conversation)).toEqual(['thought: Hm.', 'agent: So!', 'agent: other']);
  }
});

const own = (said: string) => message('u1', [text(said)], 'user_message');
const other = (said: string) => message('x1', [text(said)], 'user_message');

test.each<[name: string, before: readonly object[], after: readonly object[], shown: readonly string[]]>([
  ['reported in other words', [own('Go to B')], [], ['u1 Go to B']],
  ['reported after the same words of another client', [other('Go'), own('Go')], [], ['x1 Go', 'u1 Go']],
  ['reported after other words of another client', [other('Stop'), own('Go')], [], ['x1 Stop', 'u1 Go']],
  ['reported behind the answer', [other('Go')], [own('Go to B')], ['x1 Go', 'u1 Go to B']],
])('[46] v2 the answer names the message of a prompt: %s', async (_, before, after, shown) => {
  const { agent, session, conversation } = await openSession('v2-baseline', {
    answers: { 'session/prompt': noAnswer },
  });
  const turn = session.prompt('Go');
  const { id = '' } = await agent.called('session/prompt');
  agent.update('s1', ...before);
  agent.answer(id, { messageId: 'u1' });
  agent.update('s1', ...after, stateUpdate('running'), stateUpdate('idle', { stopReason: 'end_turn' }));
  expect(await turn).toEqual({ stopReason: 'end_turn', messageId: 'u1' });
  expect(messages(conversation()).map((entry) => `${entry.messageId} ${textOf(entry)}`)).toEqual(shown);
});

describe.each([
  ['agent_message', 'agent'],
  ['agent_thought', 'thought'],
  ['user_message', 'user'],
])('%s', (type, role) => {
  test('[50] v2 a message replaces chunks, and chunks append to it', async () => {
    const { conversation } = await folded(
      chunk('1', 'draft', type),
      message('1', [text('A')], type),
      chunk('1', 'B', type),
    );
    expect(outline(conversation)).toEqual([`${role}: AB`]);
    const { conversation: replaced } = await folded(
      message('1', [text('A')], type),
      chunk('1', 'B', type),
      message('1', [text('C')], type),
      chunk('1', 'D', type),
    );
    expect(outline(replaced)).toEqual([`${role}: CD`]);
  });

  test.each([null, []])(
    '[50] v2 a message with content %j becomes empty, and keeps its index',
    async (content) => {
      const { conversation } = await folded(
        chunk('1', 'gone', type),
        chunk('2', 'stays', type),
        message('1', content, type),
      );
      expect(messages(conversation)).toMatchObject([
        { messageId: '1', content: [] },
        { messageId: '2', content: [text('stays')] },
      ]);
    },
  );

  test('[50] v2 a message without content keeps it', async () => {
    const { conversation } = await folded(chunk('1', 'kept', type), {
      ...message('1', undefined, type),
      _meta: { a: 1 },
    });
    expect(messages(conversation)).toMatchObject([{ content: [text('kept')], meta: { a: 1 } }]);
  });
});

test('[51] v2 an update with an unknown id adds the message', async () => {
  const { conversation } = await folded(message('1'), chunk('2', 'x'), message('3', [text('y')]));
  expect(outline(conversation)).toEqual(['agent: ', 'agent: x', 'agent: y']);
});

test('[55] v2 only state_update changes the state', async () => {
  const { agent, session, conversation } = await openSession('v2-baseline', { script: working });
  await deliver(
    agent,
    chunk('1', 'Talking while at rest'),
    call('t1'),
    message('u9', [text('x')], 'user_message'),
  );
  expect(conversation().activity).toEqual({ state: 'idle', stopReason: null });
  await deliver(agent, stateUpdate('running'), call('t1', 'completed'));
  expect(conversation().activity.state).toBe('running');
  await agent.request('session/request_permission', ask(null));
  expect(conversation().activity.state).toBe('running');
  expect(session.isClosed).toBe(false);
});

test('[55] v2 a second idle state ends no turn, and neither does one before the prompt or an unknown state', async () => {
  const { agent, session, conversation } = await openSession('v2-baseline', { script: working });
  await deliver(agent, stateUpdate('idle', { stopReason: 'refusal' }));
  const first = session.prompt('Go');
  await first.accepted;
  agent.update(
    's1',
    stateUpdate('idle', { stopReason: 'end_turn' }),
    stateUpdate('idle', { stopReason: 'end_turn' }),
  );
  expect(await first).toMatchObject({ stopReason: 'end_turn' });
  await flush(agent);
  let ended = false;
  const second = session.prompt('Again');
  second.then(() => {
    ended = true;
  });
  await second.accepted;
  await deliver(agent, stateUpdate('_dreaming', { stopReason: 'end_turn' }));
  expect(conversation().activity).toEqual({ state: '_dreaming', stopReason: null });
  expect(ended).toBe(false);
  agent.update('s1', stateUpdate('idle', { stopReason: 'max_tokens' }));
  expect(await second).toMatchObject({ stopReason: 'max_tokens' });
});

test('[55] v2 background work that was not reported differs from none', async () => {
  const work = [
    { type: 'terminal', terminalId: 'x' },
    { type: '_job', id: 1 },
  ];
  const after = async (...reports: readonly object[]) =>
    (await folded(...reports.map((fields) => stateUpdate('idle', fields)))).conversation.activity;
  for (const none of [[{}], [{ background: null }], [{ background: 'much' }], [{ background: work }, {}]])
    expect(await after(...none)).not.toHaveProperty('background');
  for (const background of [[], work]) expect((await after({ background })).background).toEqual(background);
});

test('[58] v2 a cancel marks open tool calls as cancelled except those in the background, and later updates are applied', async () => {
  const background = [{ type: 'tool_call', toolCallId: 'bg' }];
  const { agent, session, conversation } = await openSession('v2-baseline', { script: working });
  const turn = session.prompt('Go');
  await turn.accepted;
  await deliver(
    agent,
    call('t1'),
    call('bg'),
    call('done', 'failed'),
    stateUpdate('running', { background }),
  );
  await session.cancel();
  expect(outline(conversation()).slice(1)).toEqual(['t1: cancelled', 'bg: in_progress', 'done: failed']);
  agent.update(
    's1',
    call('t1', 'completed'),
    chunk('m', 'Stopped'),
    stateUpdate('idle', { stopReason: 'cancelled', background }),
  );
  expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  expect(outline(conversation()).slice(1)).toEqual([
    't1: completed',
    'bg: in_progress',
    'done: failed',
    'agent: Stopped',
  ]);
});

describe.each(['v2-baseline', 'v2-markers'] as const)('in %s', (dialect) => {
  test.each([
    [-32603, { code: 'remote' }],
    [-32000, { code: 'remote.auth_required' }],
  ])(
    '[71] [agents: failure-as-stop-reason] v2, v2-markers a turn that fails with %i rejects, and the prompt is not sent again',
    (code, expected) => failsTurn(dialect, code, expected),
  );

  test.each(turnOrders)(
    '[72] [agents: echo-before-receipt] v2, v2-markers the idle state ends the turn: %s',
    (_, order) => endsTurn(dialect, order),
  );
});
