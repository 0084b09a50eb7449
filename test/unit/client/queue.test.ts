import { describe, expect, test } from 'vitest';
import { ConnectionClosedError } from '../../../src/core/base/errors.ts';
import { deferred } from '../../../src/core/base/wait.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { importConversation } from '../../../src/records/saved/import.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, loadMethod, nothing, settle } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { cwd, deliver, flush, giveUp, openSession, outline, sent } from '../../support/open-session.ts';
import { connectRestarting } from '../../support/restarting-agent.ts';
import { endTurn, says, stateUpdate, userMessage, working } from '../../support/updates.ts';

/** Accepts prompts, and leaves their turns open. */
const works = (dialect: DialectName) => (agent: ScriptedAgent) =>
  working(dialect)(agent).on('session/close', {});

/** The text of a list with one block. */
const textIn = (content: unknown) => (content as readonly { readonly text: string }[])[0]?.text;

const waiting = (session: Session) =>
  (session.conversation.pendingMessages ?? []).map(
    ({ kind, state, content }) => `${kind} ${state}: ${textIn(content)}`,
  );

const prompts = (agent: ScriptedAgent) =>
  agent.calls('session/prompt').map(({ params }) => textIn(params?.['prompt']));

/** An agent with sessions, and nothing else. */
const plain: typeof everything = {
  ...nothing,
  'v2-baseline': { ...nothing['v2-baseline'], capabilities: { session: {} } },
};

/** A session with a message that waits for the end of a turn. */
async function held(dialect: DialectName) {
  const opened = await openSession(dialect, { script: works(dialect) });
  const first = opened.session.prompt('One.');
  return { ...opened, first, second: opened.session.queue('Two.') };
}

describe.each(dialectNames)('in %s, a queued message', (dialect) => {
  test('waits for the end of the turn, however that ends, and several are sent in order, one turn each', async () => {
    const { agent, session, first, second } = await held(dialect);
    const third = session.queue([{ type: 'text', text: 'Three.' }]);
    await flush(agent);
    expect(prompts(agent)).toEqual(['One.']);
    expect(waiting(session)).toEqual(['queue held: Two.', 'queue held: Three.']);
    expect(session.conversation.pendingMessages?.map(({ id }) => id)).toEqual([second.id, third.id]);
    await session.cancel();
    await endTurn(dialect, agent, 'cancelled');
    await first;
    expect(prompts(agent)).toEqual(['One.', 'Two.']);
    expect(waiting(session)).toEqual(['queue held: Three.']);
    const { id = '' } = await agent.called('session/prompt', 2);
    const error = { code: -32603, message: 'No model.' };
    if (dialect === 'v1') agent.channel.send({ jsonrpc: '2.0', id, error });
    else agent.update('s1', stateUpdate('idle', { stopReason: 'error', error }));
    await expect(second).rejects.toMatchObject({ rpcCode: -32603 });
    await agent.called('session/prompt', 3);
    await endTurn(dialect, agent);
    expect(await third).toMatchObject({ stopReason: 'end_turn' });
    expect(outline(session.conversation)).toEqual([
      'user: One.',
      'user: Two.',
      'failed: No model.',
      'user: Three.',
    ]);
    expect(session.conversation).not.toHaveProperty('pendingMessages');
  });

  test('can be revoked until it is sent', async () => {
    const { agent, session, first, second } = await held(dialect);
    const third = session.queue('Three.');
    expect(await session.revoke('nothing')).toBe(false);
    expect(await session.revoke(second.id)).toBe(true);
    expect(await second).toEqual({ stopReason: 'cancelled', messageId: null });
    expect(waiting(session)).toEqual(['queue held: Three.']);
    await endTurn(dialect, agent);
    await first;
    expect(prompts(agent)).toEqual(['One.', 'Three.']);
    expect(await session.revoke(third.id)).toBe(false);
    expect(await session.revoke(second.id)).toBe(false);
    expect(await session.revoke('nothing')).toBe(false);
    await endTurn(dialect, agent);
    await third;
  });

  test('is taken back by its signal, and its turn is cancelled by it later', async () => {
    const { agent, session } = await openSession(dialect, { script: works(dialect) });
    const first = session.prompt('One.');
    const early = new AbortController();
    const late = new AbortController();
    const second = session.queue('Two.', { signal: early.signal });
    const third = session.queue('Three.', { signal: late.signal });
    early.abort('changed my mind');
    await expect(second).rejects.toBe('changed my mind');
    expect(waiting(session)).toEqual(['queue held: Three.']);
    await endTurn(dialect, agent);
    await first;
    await agent.called('session/prompt', 2);
    late.abort('too late');
    await expect(third).rejects.toBe('too late');
    await agent.called('session/cancel');
    expect(sent(agent).map(({ method }) => method)).toContain('session/cancel');
  });

  test('has a loop over its turn that begins before it is sent', async () => {
    const { agent, first, second } = await held(dialect);
    const said: string[] = [];
    const reading = (async () => {
      for await (const event of second) if (event.type === 'text') said.push(event.text);
    })();
    await flush(agent);
    agent.update('s1', says('first', 'm1'));
    await endTurn(dialect, agent);
    await first;
    agent.update('s1', says('second', 'm2'));
    await endTurn(dialect, agent);
    await reading;
    expect(said).toEqual(['second']);
  });

  test('is revoked by leaving the loop over its turn before it is sent', async () => {
    const { agent, first, second } = await held(dialect);
    const loop = second[Symbol.asyncIterator]();
    await loop.return?.();
    expect(await second).toMatchObject({ stopReason: 'cancelled' });
    await endTurn(dialect, agent);
    await first;
    expect(prompts(agent)).toEqual(['One.']);
  });

  test('gives nothing to a loop that was left before it was sent', async () => {
    const { agent, first, second } = await held(dialect);
    const loop = second.events[Symbol.asyncIterator]();
    await loop.return?.();
    await endTurn(dialect, agent);
    await first;
    agent.update('s1', says('Yes.', 'a1'));
    await endTurn(dialect, agent);
    await second;
    expect(await loop.next()).toEqual({ done: true, value: undefined });
  });

  test('is sent at once where nothing runs, and has a turn that leaving the loop over it cancels', async () => {
    const { agent, session } = await openSession(dialect, { script: works(dialect) });
    const turn = session.queue('One.');
    const loop = turn[Symbol.asyncIterator]();
    await flush(agent);
    expect(prompts(agent)).toEqual(['One.']);
    expect(session.conversation.pendingMessages).toBeUndefined();
    expect(outline(session.conversation)).toEqual(['user: One.']);
    await loop.return?.();
    await agent.called('session/cancel');
    await endTurn(dialect, agent, 'cancelled');
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  });

  test('is not sent while the session is being closed, but after the close has failed', async () => {
    const { agent, session } = await openSession(dialect, {
      script: (agent) => works(dialect)(agent).on('session/close', () => noAnswer),
    });
    const closing = session.close();
    const { id = '' } = await agent.called('session/close');
    const turn = session.queue('Late.');
    await flush(agent);
    expect(prompts(agent)).toEqual([]);
    expect(waiting(session)).toEqual(['queue held: Late.']);
    agent.channel.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Not now.' } });
    await expect(closing).rejects.toMatchObject({ rpcCode: -32603 });
    await flush(agent);
    expect(prompts(agent)).toEqual(['Late.']);
    await endTurn(dialect, agent);
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
  });

  test('that the agent cannot take is refused while another turn runs', async () => {
    const { agent, session } = await openSession(dialect, {
      initialize: plain[dialect],
      script: works(dialect),
    });
    session.prompt('One.').catch(() => {});
    await flush(agent);
    const image = { type: 'image', mimeType: 'image/png', data: 'AA==' } as const;
    const refused = session.queue([image]);
    expect(waiting(session)).toEqual([]);
    await expect(refused).rejects.toMatchObject({ code: 'usage.capability' });
    expect(refused.id).toBe('');
    expect(await session.revoke(refused.id)).toBe(false);
  });

  test('ends as cancelled when the session is closed, and rejects when the agent ends', async () => {
    const { session, first, second } = await held(dialect);
    await session.close();
    expect(await first).toMatchObject({ stopReason: 'cancelled' });
    expect(await second).toMatchObject({ stopReason: 'cancelled' });
    expect(await second.accepted).toEqual({ messageId: null });
    expect(session.conversation).not.toHaveProperty('pendingMessages');

    const crashed = await held(dialect);
    await crashed.agent.called('session/prompt');
    crashed.agent.channel.exit({ exitCode: 1 });
    await expect(crashed.first).rejects.toBeInstanceOf(ConnectionClosedError);
    const error = await crashed.second.catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'connection.closed', promptAccepted: false });
    expect(String(error)).toContain('queue: The connection to the agent ended');
    expect(String(error)).toContain('it was not sent');
  });

  test('is not part of a session that continues a saved conversation', async () => {
    const { agent, connection, session } = await openSession(dialect, {
      script: (agent) => works(dialect)(agent).on('session/resume', {}),
    });
    session.prompt('One.').catch(() => {});
    session.queue('Two.').catch(() => {});
    await agent.called('session/prompt');
    const conversation = importConversation(JSON.parse(JSON.stringify(session.conversation)));
    expect(conversation.pendingMessages).toHaveLength(1);
    await session.close();
    const resumed = await connection.resumeSession({ sessionId: 's1', cwd: '/p' }, { conversation });
    expect(resumed.conversation).not.toHaveProperty('pendingMessages');
    expect(outline(resumed.conversation)).toEqual(['user: One.']);
  });

  test('is sent after the agent was started again, and not before', async () => {
    const restarting = await connectRestarting((agent) =>
      works(dialect)(agent).on('initialize', everything[dialect]).on('session/resume', {}),
    );
    const { agents, connection } = restarting;
    const session = await connection.newSession({ cwd });
    const first = session.prompt('One.');
    const queued = [session.queue('Two.'), session.queue('Three.')];
    await agents[0]?.called('session/prompt');
    const lost = deferred();
    connection.onStateChange(() => lost.resolve());
    agents[0]?.channel.exit({ exitCode: 1 });
    await lost.promise;
    expect(waiting(session)).toEqual(['queue held: Two.', 'queue held: Three.']);
    // A message can be added meanwhile.
    queued.push(session.queue('Four.'));
    await expect(first).rejects.toBeInstanceOf(ConnectionClosedError);
    await eventually(() => agents.length).toBe(2);
    const again = agents[1] as ScriptedAgent;
    for (const [count, turn] of queued.entries()) {
      await again.called('session/prompt', count + 1);
      await flush(again);
      await endTurn(dialect, again);
      expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    }
    expect(prompts(again)).toEqual(['Two.', 'Three.', 'Four.']);
  });

  test('is refused at once where it is wrong or where the session is closed', async () => {
    const { session } = await openSession(dialect, { script: works(dialect) });
    await expect(session.queue('')).rejects.toMatchObject({ code: 'usage.params' });
    await expect(session.queue(7 as never)).rejects.toMatchObject({ code: 'usage.params' });
    await expect(session.queue('x', { timeoutMs: -1 })).rejects.toMatchObject({ code: 'usage.params' });
    await expect(session.queue('x', { signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(session.conversation).not.toHaveProperty('pendingMessages');
    await session.close();
    await expect(session.queue('x')).rejects.toMatchObject({ code: 'usage.state' });
    await expect(session.steer('x')).rejects.toMatchObject({ code: 'usage.state' });
  });

  test('waits while the session is loaded, and is shown meanwhile', async () => {
    const { agent, connection, session } = await openSession(dialect, {
      script: (agent) =>
        works(dialect)(agent)
          .on('session/load', () => noAnswer)
          .on('session/resume', () => noAnswer),
    });
    const loading = connection.loadSession({ sessionId: 's1', cwd: '/p' });
    const method = loadMethod(dialect);
    const { id = '' } = await agent.called(method);
    const turn = session.queue('Hello.');
    await settle();
    expect(prompts(agent)).toEqual([]);
    expect(waiting(session)).toEqual(['queue held: Hello.']);
    agent.answer(id, {});
    await loading;
    await agent.called('session/prompt');
    expect(session.conversation).not.toHaveProperty('pendingMessages');
    await endTurn(dialect, agent);
    await turn;
  });
});

test.each(['v2-markers', 'v2-baseline'] as const)(
  'an answer that comes after the end of its turn leaves the turn of the queue alone (%s)',
  async (dialect) => {
    const { agent, session } = await openSession(dialect, {
      answers: { 'session/prompt': noAnswer },
    });
    const first = session.prompt('One.');
    const second = session.queue('Two.');
    const { id = '' } = await agent.called('session/prompt');
    agent.update('s1', userMessage('u1', 'One.'), stateUpdate('running'));
    await endTurn(dialect, agent);
    expect(await first).toMatchObject({ stopReason: 'end_turn', messageId: 'u1' });
    await agent.called('session/prompt', 2);
    agent.answer(id, { messageId: 'u1' });
    await deliver(agent, stateUpdate('running'));
    expect(outline(session.conversation)).toEqual(['user: One.', 'user: Two.']);
    await endTurn(dialect, agent, 'max_tokens');
    expect(await second).toMatchObject({ stopReason: 'max_tokens' });
  },
);

test('a queued message waits for the rest of a replay that goes on after the answer', async () => {
  const { agent, connection, session } = await openSession('v1', {
    script: (agent) => works('v1')(agent).on('session/load', {}),
  });
  await connection.loadSession({ sessionId: 's1', cwd: '/p' });
  const turn = session.queue('Next.');
  await deliver(agent, says('Before.'));
  expect(prompts(agent)).toEqual([]);
  await agent.called('session/prompt');
  await endTurn('v1', agent);
  await turn;
  expect(outline(session.conversation)).toEqual(['agent: Before.', 'user: Next.']);
  expect(session.conversation.entries[0]).toMatchObject({ origin: 'replay' });
});

test('a queued message that waits for the rest of an abandoned replay is sent to the agent that starts again', async () => {
  const { agents, connection } = await connectRestarting((agent) =>
    works('v1')(agent)
      .on('initialize', everything.v1)
      .on('session/resume', {})
      .on('session/load', () => noAnswer),
  );
  const session = await connection.newSession({ cwd });
  const params = { sessionId: 's1', cwd };
  const load = (options: object) => connection.loadSession(params, options);
  await giveUp(agents[0] as ScriptedAgent, 'session/load', load);
  const turn = session.queue('Next.');
  await settle();
  expect(waiting(session)).toEqual(['queue held: Next.']);
  agents[0]?.channel.exit({ exitCode: 3 });
  await eventually(() => agents.length).toBe(2);
  const again = agents[1] as ScriptedAgent;
  await again.called('session/prompt');
  await endTurn('v1', again);
  expect(await turn).toMatchObject({ stopReason: 'end_turn' });
  expect(agents.map(prompts)).toEqual([[], ['Next.']]);
  expect(outline(session.conversation)).toEqual(['user: Next.']);
});

test('the list of blocks stays that of the caller, who uses it for the next message', async () => {
  const script = (agent: ScriptedAgent) => works('v1')(agent).on('_session/steering', () => noAnswer);
  const { session, agent } = await openSession('v1', { script });
  const blocks: { type: 'text'; text: string }[] = [];
  const say = <T>(text: string, send: (content: typeof blocks) => T): T => {
    blocks.push({ type: 'text', text });
    const sent = send(blocks);
    blocks.length = 0;
    return sent;
  };
  const turns = [say('Prompted.', (content) => session.prompt(content))];
  await agent.called('session/prompt');
  turns.push(say('Queued.', (content) => session.queue(content)));
  const steered = say('Steered.', (content) => session.steer(content));
  await agent.called('_session/steering');
  expect(outline(session.conversation)).toEqual(['user: Prompted.']);
  expect(waiting(session)).toEqual(['queue held: Queued.', 'steer sending: Steered.']);
  expect(Object.isFrozen(blocks)).toBe(false);
  await session.close();
  await Promise.allSettled([...turns, steered]);
});
