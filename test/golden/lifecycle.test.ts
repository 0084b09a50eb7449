import { expect, test } from 'vitest';
import { foldUpdate } from '../../src/conversation/fold.ts';
import { RequestError } from '../../src/rpc/request-error.ts';
import { silence, updateMessage } from '../../src/testing/scripted-agent.ts';
import { everything, settle, text } from '../support/agents.ts';
import { connectFlushable, cwd, flush, messages, openSession, outline } from '../support/open-session.ts';

const chunk = (said: string, messageId?: string) => ({
  sessionUpdate: 'agent_message_chunk',
  content: text(said),
  ...(messageId !== undefined && { messageId }),
});
const call = (toolCallId: string, status = 'in_progress') => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: 'Run',
  status,
});
const state = (name: string, more: object = {}) => ({ sessionUpdate: 'state_update', state: name, ...more });

/** A version 2 agent that takes each prompt and says nothing more. */
const accepting = (agent: { on: (method: string, answer: () => unknown) => unknown }) => {
  let count = 0;
  agent.on('session/prompt', () => ({ messageId: `u${++count}` }));
};

test('32. an update and the answer after it in one chunk: the update is there when the promise resolves', async () => {
  const { agent, session, conversation } = await openSession('v1', {
    script: (agent) => agent.on('session/prompt', () => silence),
  });
  const seen: string[][] = [];
  const turn = session.prompt('Go').then(() => seen.push([...outline(conversation())]));
  const { id } = await agent.called('session/prompt');
  agent.channel.send(
    updateMessage('s1', chunk('one ')),
    updateMessage('s1', chunk('two')),
    { jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } },
    updateMessage('s1', chunk(' three')),
  );
  await turn;
  expect(seen).toEqual([['user: Go', 'agent: one two']]);
  await flush(agent);
  expect(outline(conversation())).toEqual(['user: Go', 'agent: one two three']);
});

test('33. the answer that names a session and an update after it in one chunk: the update finds the session', async () => {
  const { agent, conversation, diagnostics } = await openSession('v1', {
    script: (agent) =>
      agent.on('session/new', (_params, agent, id) => {
        agent.channel.send(
          { jsonrpc: '2.0', id, result: { sessionId: 's1' } },
          updateMessage('s1', chunk('Hi')),
        );
        return silence;
      }),
  });
  await flush(agent);
  expect(outline(conversation())).toEqual(['agent: Hi']);
  expect(diagnostics).toEqual([]);
});

test('34. a replay that goes on after the answer is folded once, in its order, until the next turn', async () => {
  const { agent, connection } = await connectFlushable(everything.v1, {
    script: (agent) =>
      agent
        .on('session/load', (_params, agent, id) => {
          agent.update('s1', { sessionUpdate: 'user_message_chunk', content: text('Hello') });
          agent.answer(id, {});
          agent.update('s1', chunk('Good '), chunk('day.'), {
            sessionUpdate: 'user_message_chunk',
            content: text('Bye'),
          });
          return silence;
        })
        .on('session/prompt', (_params, agent) => {
          agent.update('s1', chunk('See you.'));
          return { stopReason: 'end_turn' };
        }),
  });
  const session = await connection.loadSession({ sessionId: 's1', cwd });
  await flush(agent);
  const conversation = session.conversation.getSnapshot();
  expect(outline(conversation)).toEqual(['user: Hello', 'agent: Good day.', 'user: Bye']);
  expect(conversation.entries.map(({ origin }) => origin)).toEqual(['replay', 'replay', 'replay']);
  await session.prompt('Again?');
  const { entries } = session.conversation.getSnapshot();
  expect(entries.slice(3).map(({ origin }) => origin)).toEqual(['live', 'live']);
});

test('35. a load may be answered null, and one that fails half-way leaves nothing behind', async () => {
  const { connection } = await connectFlushable(everything.v1, {
    script: (agent) => {
      let attempts = 0;
      agent.on('session/load', (_params, agent) => {
        agent.update('s1', chunk(`attempt ${++attempts}`));
        if (attempts === 2) throw new RequestError(-32603, 'lost');
        return null;
      });
    },
  });
  const session = await connection.loadSession({ sessionId: 's1', cwd });
  const before = session.conversation.getSnapshot();
  await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toThrow('lost');
  expect(session.conversation.getSnapshot()).toEqual(before);
  await connection.loadSession({ sessionId: 's1', cwd });
  expect(outline(session.conversation.getSnapshot())).toEqual(['agent: attempt 3']);
});

test('36. a replay under other ids than before takes the place of what was live', async () => {
  const { session, connection, conversation } = await openSession('v1', {
    script: (agent) =>
      agent
        .on('session/prompt', (_params, agent) => {
          agent.update('s1', call('live-1', 'completed'), chunk('Done', 'live'));
          return { stopReason: 'end_turn' };
        })
        .on('session/load', (_params, agent) => {
          agent.update(
            's1',
            { sessionUpdate: 'user_message_chunk', content: text('Go') },
            call('stored-1', 'completed'),
            chunk('Done', 'stored'),
          );
          return {};
        }),
  });
  await session.prompt('Go');
  expect(outline(conversation())).toEqual(['user: Go', 'live-1: completed', 'agent: Done']);
  await connection.loadSession({ sessionId: 's1', cwd });
  expect(outline(conversation())).toEqual(['user: Go', 'stored-1: completed', 'agent: Done']);
});

test('37. work that no prompt asked for is folded, before the first prompt and after the last', async () => {
  const { agent, session, conversation } = await openSession('v1', {
    script: (agent) => agent.on('session/prompt', { stopReason: 'end_turn' }),
  });
  agent.update('s1', chunk('Version 7'));
  await flush(agent);
  await session.prompt('Go');
  agent.update('s1', call('t', 'completed'), chunk('By the way'));
  await flush(agent);
  expect(outline(conversation())).toEqual([
    'agent: Version 7',
    'user: Go',
    't: completed',
    'agent: By the way',
  ]);
});

test('38. rest before work, rest twice, work twice, waiting, and states that nobody knows', async () => {
  const { agent, session, conversation } = await openSession('v2-baseline', { script: accepting as never });
  const states: unknown[] = [];
  session.conversation.subscribe(() => {});
  for (const update of [
    state('idle', { stopReason: 'end_turn' }),
    state('running'),
    state('running'),
    state('requires_action'),
    state('_paused'),
    state('idle', { stopReason: 'refusal' }),
    state('idle'),
  ]) {
    agent.update('s1', update);
    await flush(agent);
    states.push(conversation().activity);
  }
  expect(states).toEqual([
    { state: 'idle', stopReason: 'end_turn' },
    { state: 'running', stopReason: null },
    { state: 'running', stopReason: null },
    { state: 'requires_action', stopReason: null },
    { state: '_paused', stopReason: null },
    { state: 'idle', stopReason: 'refusal' },
    { state: 'idle', stopReason: null },
  ]);
});

test('39. a second prompt while the first runs: version 2 rests once for both, version 1 answers each', async () => {
  const { agent, session } = await openSession('v2-baseline', { script: accepting as never });
  const turns = [session.prompt('One'), session.prompt('Two')];
  await Promise.all(turns.map(({ accepted }) => accepted));
  agent.update('s1', state('running'), state('idle', { stopReason: 'end_turn' }));
  expect(await Promise.all(turns)).toEqual([
    { stopReason: 'end_turn', messageId: 'u1' },
    { stopReason: 'end_turn', messageId: 'u2' },
  ]);
  const old = await openSession('v1', { script: (agent) => agent.on('session/prompt', () => silence) });
  const first = old.session.prompt('One');
  const second = old.session.prompt('Two');
  await old.agent.called('session/prompt', 2);
  const [a, b] = old.agent.calls('session/prompt');
  old.agent.channel.send({ jsonrpc: '2.0', id: b?.id, error: { code: -32603, message: 'busy' } });
  await expect(second).rejects.toMatchObject({ rpcCode: -32603 });
  expect(old.conversation().activity.state).toBe('running');
  old.agent.answer(a?.id as number, { stopReason: 'end_turn' });
  expect(await first).toMatchObject({ stopReason: 'end_turn' });
});

test('40. a cancel that the agent passes over: its end_turn counts, and closing the connection ends the rest', async () => {
  const { agent, session, connection, conversation } = await openSession('v1', {
    script: (agent) => agent.on('session/prompt', () => silence),
  });
  const turn = session.prompt('Go');
  const { id } = await agent.called('session/prompt');
  await session.cancel();
  agent.update('s1', chunk('Still here'));
  agent.answer(id as number, { stopReason: 'end_turn' });
  expect(await turn).toMatchObject({ stopReason: 'end_turn' });
  expect(outline(conversation())).toEqual(['user: Go', 'agent: Still here']);
  const deaf = session.prompt('Again');
  await agent.called('session/prompt', 2);
  await session.cancel();
  const closing = connection.close();
  await expect(deaf).rejects.toMatchObject({ code: 'connection.closed' });
  await closing;
});

test.each(['v1', 'v2-baseline'] as const)(
  '41. an agent that ends in the middle: what it said counts, calls fail alike, nothing stays at work, in %s',
  async (dialect) => {
    const { agent, session, connection, conversation } = await openSession(dialect, {
      script: (agent) => agent.on('session/prompt', () => silence).on('session/list', () => silence),
    });
    const turn = session.prompt('Go');
    const list = connection.listSessions().page();
    await agent.called('session/list');
    const toolCall = dialect === 'v1' ? call('t') : { ...call('t'), sessionUpdate: 'tool_call_update' };
    agent.update(
      's1',
      ...(dialect === 'v1' ? [] : [state('running')]),
      toolCall,
      chunk('Last w', 'm'),
      chunk('ords', 'm'),
    );
    agent.channel.end();
    const failures = await Promise.all(
      [turn, list].map((pending) => pending.catch((error: unknown) => error)),
    );
    expect(failures).toMatchObject([{ code: 'connection.closed' }, { code: 'connection.closed' }]);
    await connection.closed;
    expect(outline(conversation())).toEqual(['user: Go', 't: cancelled', 'agent: Last words']);
    expect(conversation().activity.state).toBe('idle');
    expect(session.closed).toBe(true);
  },
);

test('42. what is unknown is kept as it came; what is malformed is told, and harms nothing else', async () => {
  const { agent, conversation, diagnostics } = await openSession('v2-baseline');
  const strange = { sessionUpdate: 'replay_complete', at: 3 };
  agent.update(
    's1',
    chunk('a', 'm'),
    strange,
    { sessionUpdate: 'agent_message', messageId: 4 },
    chunk('b', 'm'),
  );
  await flush(agent);
  expect(conversation().entries).toMatchObject([
    { content: [text('ab')] },
    { tag: 'replay_complete', raw: strange },
  ]);
  expect(diagnostics.map(({ rule }) => rule)).toEqual(['protocol.malformed_update']);
});

test('43. updates for a session that nobody opens are told and dropped; while one is opened they wait for their name', async () => {
  const { agent, connection, diagnostics } = await connectFlushable(everything.v1, {
    script: (agent) =>
      agent.on('session/new', (_params, agent) => {
        agent.update('s1', chunk('mine'));
        agent.update('stranger', chunk('not mine'));
        return { sessionId: 's1' };
      }),
  });
  agent.update('s1', chunk('too early'));
  await flush(agent);
  expect(diagnostics.map(({ rule }) => rule)).toEqual(['protocol.unknown_session']);
  const session = await connection.newSession({ cwd });
  expect(outline(session.conversation.getSnapshot())).toEqual(['agent: mine']);
  await settle(0);
  expect(diagnostics.map(({ rule }) => rule)).toEqual([
    'protocol.unknown_session',
    'protocol.unknown_session',
  ]);
  expect(diagnostics[1]?.message).toContain('"stranger"');
});

test('44. two sessions interleaved on one connection do not mix', async () => {
  let count = 0;
  const { agent, connection } = await connectFlushable(everything.v1, {
    script: (agent) => agent.on('session/new', () => ({ sessionId: `s${++count}` })),
  });
  const first = await connection.newSession({ cwd });
  const second = await connection.newSession({ cwd });
  for (const said of ['a', 'b', 'c']) {
    agent.update('s1', chunk(`${said}1 `));
    agent.update('s2', chunk(`${said}2 `));
  }
  await flush(agent);
  expect(outline(first.conversation.getSnapshot())).toEqual(['agent: a1 b1 c1 ']);
  expect(outline(second.conversation.getSnapshot())).toEqual(['agent: a2 b2 c2 ']);
});

test('45. a hundred thousand chunks are one message, told once a batch, each state of it readable for ever', async () => {
  const { agent, session, conversation } = await openSession('v1');
  let told = 0;
  session.conversation.subscribe(() => {
    told++;
  });
  agent.update('s1', chunk('0', 'm'));
  await flush(agent);
  const early = conversation();
  const total = 100_000;
  const lines = Array.from({ length: 1000 }, () => JSON.stringify(updateMessage('s1', chunk('x', 'm')))).join(
    '\n',
  );
  for (let sent = 0; sent < total; sent += 1000) agent.channel.write(`${lines}\n`);
  await flush(agent);
  expect(messages(conversation())).toMatchObject([{ content: [text(`0${'x'.repeat(total)}`)] }]);
  expect(messages(early)).toMatchObject([{ content: [text('0')] }]);
  // A batch is what arrived together: there are far fewer than there are chunks.
  expect(told).toBeLessThan(total / 100);
  const later = foldUpdate(early, {
    sessionUpdate: 'agent_message_chunk',
    messageId: 'm',
    content: text('!'),
  });
  expect(messages(later)).toMatchObject([{ content: [text('0!')] }]);
});
