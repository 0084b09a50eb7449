import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { type Answer, noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything, nothing, refuses, settle, text } from '../../support/agents.ts';
import { eventually } from '../../support/eventually.ts';
import { deliver, flush, type Opened, openSession, outline, sent } from '../../support/open-session.ts';
import { endTurn, repeats, says, stateUpdate, userMessage, working } from '../../support/updates.ts';

type Script = (agent: ScriptedAgent) => unknown;

/** An agent with sessions, and nothing else. */
const plain: Readonly<Record<DialectName, JsonObject>> = {
  ...nothing,
  'v2-baseline': { ...nothing['v2-baseline'], capabilities: { session: {} } },
};

/** The extension alone, without the method of the protocol. */
function extensionOnly(dialect: DialectName): JsonObject {
  return { ...plain[dialect], _meta: { steering: { supported: true } } };
}

interface Begun extends Opened {
  readonly turn: ReturnType<Session['prompt']>;
}

/** Opens a session and its first turn, in which the agent has spoken. */
async function begun(
  dialect: DialectName,
  initialize: JsonObject,
  script: Script = () => {},
): Promise<Begun> {
  const opened = await openSession(dialect, {
    initialize,
    script: (agent) => script(working(dialect)(agent)),
  });
  const turn = opened.session.prompt('Prompt 1.');
  turn.catch(() => {});
  await opened.agent.called('session/prompt');
  await deliver(opened.agent, says('Working.', 'a1'));
  return { ...opened, turn };
}

const pendingOf = (session: Session) =>
  (session.conversation.pendingMessages ?? []).map(({ kind, state, messageId }) => [kind, state, messageId]);

const unanswered = (agent: ScriptedAgent) => agent.on('_session/steering', () => noAnswer);
const injected = (agent: ScriptedAgent) => agent.on('_session/steering', { outcome: 'injected' });

describe.each(dialectNames)('in %s, with the extension of Codex and Claude Code', (dialect) => {
  const initialize = extensionOnly(dialect);

  test('steer sends the message for the running turn, and says that the agent has it', async () => {
    const { agent, connection, session } = await begun(dialect, initialize, injected);
    expect(connection.supports('session.steer')).toBe(true);
    expect(connection.explain('session.steer')).toMatchObject({
      path: '_meta.steering.supported',
      value: true,
      reason: 'The agent advertised _meta.steering.supported.',
    });
    expect(connection.supports('session.inject')).toBe(false);
    const result = await session.steer('Leave the tests alone.', { meta: { traceparent: '00' } });
    expect(result).toMatchObject({ outcome: 'injected' });
    expect(sent(agent).at(-1)).toMatchObject({
      method: '_session/steering',
      params: {
        sessionId: 's1',
        prompt: [text('Leave the tests alone.')],
        _meta: { steering: { idleBehavior: 'promptRequired' }, traceparent: '00' },
      },
    });
  });

  test('a message that the agent does not report is in the transcript once, where it was injected at the latest at the end of the turn', async () => {
    const { agent, session, turn } = await begun(dialect, initialize, injected);
    await session.steer('Also this.');
    await deliver(agent, says('As you wish.', 'a2'));
    // Version 2 reports user messages, so the message waits for its report there.
    expect(pendingOf(session)).toEqual(dialect === 'v1' ? [] : [['steer', 'accepted', null]]);
    await endTurn(dialect, agent);
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    const ends = ['agent: As you wish.', 'user: Also this.'];
    expect(outline(session.conversation)).toEqual([
      'user: Prompt 1.',
      'agent: Working.',
      ...(dialect === 'v1' ? ends.reverse() : ends),
    ]);
    expect(session.conversation.entries.every((entry) => 'origin' in entry && entry.origin === 'live')).toBe(
      true,
    );
    expect(session.conversation).not.toHaveProperty('pendingMessages');
  });

  test('without a running turn, the message is sent as a prompt', async () => {
    const { agent, session } = await openSession(dialect, { initialize, script: working(dialect) });
    const result = await session.steer('Hello.');
    if (result.outcome !== 'queued') throw new Error(result.outcome);
    await agent.called('session/prompt');
    expect(agent.calls('_session/steering')).toEqual([]);
    await endTurn(dialect, agent);
    expect(await result.turn).toMatchObject({ stopReason: 'end_turn' });
    const none = await session.steer('Hello again.', { fallback: 'none' });
    expect(none).toEqual({ outcome: 'notTaken' });
    expect(agent.calls('session/prompt')).toHaveLength(1);
  });

  test.each(['promptRequired', 'failed'])(
    'an answer that is %s keeps the message, in its place, or leaves it to the caller with fallback none',
    async (outcome) => {
      const { agent, session, turn } = await begun(dialect, initialize, unanswered);
      const steering = session.steer('Also this.');
      const left = session.steer('Left.', { fallback: 'none' });
      const later = session.queue('Later.');
      await agent.called('_session/steering', 2);
      // The turn ends while the requests are under way.
      for (const { id = '' } of agent.calls('_session/steering'))
        agent.answer(id, { outcome, reason: 'noRunningTurn' });
      expect(await left).toEqual({ outcome: 'notTaken' });
      const result = await steering;
      if (result.outcome !== 'queued') throw new Error(result.outcome);
      expect(pendingOf(session)).toEqual([
        ['queue', 'held', null],
        ['queue', 'held', null],
      ]);
      await endTurn(dialect, agent);
      await turn;
      expect(agent.calls('session/prompt').at(-1)?.params).toMatchObject({ prompt: [text('Also this.')] });
      await endTurn(dialect, agent);
      await result.turn;
      await endTurn(dialect, agent);
      await later;
      expect(agent.calls('session/prompt')).toHaveLength(3);
    },
  );

  test.each(['injected', 'startedNewTurn'])(
    'is %s after the end of the turn, and a turn that the agent begins by itself is followed',
    async (outcome) => {
      const { agent, session, turn } = await begun(dialect, initialize, unanswered);
      const steering = session.steer('Also this.');
      const { id = '' } = await agent.called('_session/steering');
      await endTurn(dialect, agent);
      await turn;
      agent.answer(id, { outcome });
      expect(await steering).toMatchObject({ outcome });
      expect(session.conversation).not.toHaveProperty('pendingMessages');
      const said: string[] = [];
      session.onEvent((event) => event.type === 'text' && said.push(event.text), { during: 'idle' });
      if (dialect !== 'v1') agent.update('s1', stateUpdate('running'));
      await deliver(agent, says('Yes.', 'a2'));
      expect(said).toEqual(['Yes.']);
      expect(session.conversation.activity.state).toBe(dialect === 'v1' ? 'idle' : 'running');
      expect(outline(session.conversation).slice(2)).toEqual(['user: Also this.', 'agent: Yes.']);
      expect(agent.calls('session/prompt')).toHaveLength(1);
      if (dialect === 'v1') return;
      // What is queued waits for the end of that turn too.
      void session.queue('Later.').catch(() => {});
      await flush(agent);
      expect(agent.calls('session/prompt')).toHaveLength(1);
      await endTurn(dialect, agent);
      expect(agent.calls('session/prompt')).toHaveLength(2);
    },
  );

  const unreadable = { code: 'protocol.message' };
  test.each<readonly [what: string, answer: Answer, error: object]>([
    ['no outcome', {}, unreadable],
    ['an unknown outcome', { outcome: 'eaten' }, unreadable],
    ['a number', { outcome: 7 }, unreadable],
    ['null', null, unreadable],
    ['a list', () => [], unreadable],
    ['an error', refuses(-32603, 'No images.'), { rpcCode: -32603 }],
  ])('%s as the answer rejects, removes the message, and sends nothing else', async (_, answer, error) => {
    const { agent, session } = await begun(dialect, initialize, (agent) =>
      agent.on('_session/steering', answer),
    );
    await expect(session.steer('Also this.')).rejects.toMatchObject(error);
    expect(session.conversation).not.toHaveProperty('pendingMessages');
    await endTurn(dialect, agent);
    expect(agent.calls('session/prompt')).toHaveLength(1);
    expect(outline(session.conversation)).toEqual(['user: Prompt 1.', 'agent: Working.']);
  });

  test('an agent that ends while it has the message rejects, and so does a signal', async () => {
    const { agent, session } = await begun(dialect, initialize, unanswered);
    const stop = new AbortController();
    const given = session.steer('Given up.', { signal: stop.signal });
    const lost = session.steer('Lost.');
    await agent.called('_session/steering', 2);
    stop.abort('no');
    await expect(given).rejects.toBe('no');
    expect(pendingOf(session)).toEqual([['steer', 'sending', null]]);
    agent.channel.exit({ exitCode: 1 });
    await expect(lost).rejects.toMatchObject({ code: 'connection.closed' });
    expect(session.conversation).not.toHaveProperty('pendingMessages');
  });

  test('an accepted message cannot be revoked, and the error says so', async () => {
    const { agent, session } = await begun(dialect, initialize, injected);
    const result = await session.steer('Also this.');
    if (result.outcome !== 'injected') throw new Error(result.outcome);
    const revoked = session.revoke(result.id);
    // In version 1 it is in the transcript already.
    if (dialect === 'v1') expect(await revoked).toBe(false);
    else await expect(revoked).rejects.toMatchObject({ code: 'usage.capability', feature: 'session.inject' });
    expect(agent.calls('session/revoke_inject')).toEqual([]);
  });
});

describe.each(['v2-markers', 'v2-baseline'] as const)('in %s, with session/inject', (dialect) => {
  const initialize = { ...everything[dialect], _meta: {} };
  const named = (agent: ScriptedAgent) =>
    agent.on('session/inject', { messageId: 'u9' }).on('session/revoke_inject', {});

  test('steer injects the message, which waits until the agent reports it', async () => {
    const { agent, connection, session } = await begun(dialect, initialize, named);
    expect(connection.explain('session.steer')).toMatchObject({
      supported: true,
      path: 'capabilities.session.inject.modes',
      value: ['queue', 'steer'],
    });
    expect(await session.steer('Also this.')).toMatchObject({ outcome: 'injected' });
    expect(sent(agent).at(-1)).toMatchObject({
      method: 'session/inject',
      params: { sessionId: 's1', mode: 'steer', content: [text('Also this.')] },
    });
    expect(pendingOf(session)).toEqual([['steer', 'accepted', 'u9']]);
    // A message of another client.
    await deliver(agent, repeats('From elsewhere.', 'u8'));
    expect(pendingOf(session)).toEqual([['steer', 'accepted', 'u9']]);
    agent.update('s1', userMessage('u9', 'Also this.'));
    await deliver(agent, says('Yes.', 'a2'));
    expect(outline(session.conversation).slice(2)).toEqual([
      'user: From elsewhere.',
      'user: Also this.',
      'agent: Yes.',
    ]);
    expect(session.conversation).not.toHaveProperty('pendingMessages');
  });

  test('a message whose answer is not there yet is revoked after it', async () => {
    const { agent, session } = await begun(dialect, initialize, (agent) =>
      named(agent).on('session/inject', () => noAnswer),
    );
    const steering = session.steer('Also this.');
    const { id = '' } = await agent.called('session/inject');
    const [pending] = session.conversation.pendingMessages ?? [];
    const revoking = session.revoke(pending?.id ?? '');
    await settle();
    expect(agent.calls('session/revoke_inject')).toEqual([]);
    agent.answer(id, { messageId: 'u9' });
    await steering;
    expect(await revoking).toBe(true);
  });

  const refusal = (code: number, reason: string) => refuses(code, 'No.', { reason, messageId: 'u9' });
  test.each<readonly [name: string, answer: Answer, isRevoked: boolean, shown: readonly string[]]>([
    ['accepted', {}, true, []],
    ['too late', refusal(-32010, 'already_delivered'), false, ['user: Also this.']],
    ['of an unknown message', refusal(-32002, 'unknown_message_id'), false, []],
  ])('a revocation that is %s', async (_, answer, isRevoked, shown) => {
    const { agent, session } = await begun(dialect, initialize, (agent) =>
      named(agent).on('session/revoke_inject', answer),
    );
    const result = await session.steer('Also this.');
    if (result.outcome !== 'injected') throw new Error(result.outcome);
    expect(await session.revoke(result.id)).toBe(isRevoked);
    expect(sent(agent).at(-1)).toMatchObject({
      method: 'session/revoke_inject',
      params: { sessionId: 's1', messageId: 'u9' },
    });
    expect(session.conversation).not.toHaveProperty('pendingMessages');
    expect(outline(session.conversation).slice(2)).toEqual(shown);
    // An agent that delivers it all the same is believed.
    agent.update('s1', repeats('Also this.', 'u9'));
    await endTurn(dialect, agent);
    expect(outline(session.conversation).slice(2)).toEqual(['user: Also this.']);
  });

  test('a revocation that fails keeps the message', async () => {
    const { session } = await begun(dialect, initialize, (agent) =>
      named(agent).on('session/revoke_inject', refuses(-32603, 'Broken.')),
    );
    const result = await session.steer('Also this.');
    if (result.outcome !== 'injected') throw new Error(result.outcome);
    await expect(session.revoke(result.id)).rejects.toMatchObject({ rpcCode: -32603 });
    expect(pendingOf(session)).toEqual([['steer', 'accepted', 'u9']]);
  });

  test('the error that no turn runs sends the message as a prompt', async () => {
    const { agent, session, turn } = await begun(dialect, initialize, (agent) =>
      agent.on(
        'session/inject',
        refuses(-32010, 'Inject precondition failed', { reason: 'no_running_turn' }),
      ),
    );
    const result = await session.steer('Also this.');
    expect(result.outcome).toBe('queued');
    await endTurn(dialect, agent);
    await turn;
    expect(agent.calls('session/prompt')).toHaveLength(2);
  });
});

test.each(dialectNames)(
  'a message is not steered into a session that is being closed (%s)',
  async (dialect) => {
    const { agent, session } = await begun(dialect, everything[dialect], (agent) =>
      agent.on('session/close', () => noAnswer),
    );
    const closing = session.close();
    const { id = '' } = await agent.called('session/close');
    const { length } = sent(agent);
    const result = await session.steer('Also this.');
    if (result.outcome !== 'queued') throw new Error(result.outcome);
    await flush(agent);
    expect(sent(agent)).toHaveLength(length);
    agent.answer(id, {});
    await closing;
    expect(await result.turn).toMatchObject({ stopReason: 'cancelled' });
  },
);

describe.each(['v2-markers', 'v2-baseline'] as const)('in %s, a load during the turn', (dialect) => {
  const prompt = userMessage('u1', 'Prompt 1.');
  const report = userMessage('u9', 'Also this.');
  const refuse = refuses(-32603, 'No.');

  test.each<[name: string, method: string, replay: readonly object[], waits: number, end?: () => object]>([
    ['has the message', '_session/steering', [prompt, report], 0],
    ['has the message with its id', 'session/inject', [prompt, report], 0],
    ['does not have the message', '_session/steering', [prompt], 1],
    [
      'has an older one with the same words',
      '_session/steering',
      [userMessage('u0', 'Also this.'), prompt],
      1,
    ],
    ['has the message and fails', '_session/steering', [prompt, report], 0, refuse],
    ['has the message with its id and fails', 'session/inject', [prompt, report], 0, refuse],
  ])('keeps a message that was steered once: it %s', async (_, method, replay, waits, end = () => ({})) => {
    const hasId = method === 'session/inject';
    const withLoad = { ...extensionOnly(dialect), capabilities: { session: { load: {} } } };
    const initialize = hasId ? { ...everything[dialect], _meta: {} } : withLoad;
    const load = (_: unknown, by: ScriptedAgent) => {
      by.update('s1', ...replay);
      return end();
    };
    const { agent, connection, session } = await begun(dialect, initialize, (scripted) =>
      scripted
        .on(method, hasId ? { messageId: 'u9' } : { outcome: 'injected' })
        .on('session/load', load)
        .on('session/resume', load),
    );
    await session.steer('Also this.');
    const params = { sessionId: 's1', cwd: '/p' };
    await connection.loadSession(params, { duringTurn: 'load' }).catch(() => {});
    expect(session.conversation.pendingMessages ?? []).toHaveLength(waits);
    await endTurn(dialect, agent);
    const shown = outline(session.conversation);
    const turn = shown.slice(shown.indexOf('user: Prompt 1.'));
    expect(turn.filter((line) => line === 'user: Also this.')).toHaveLength(1);
    expect(session.conversation.pendingMessages ?? []).toEqual([]);
  });
});

describe.each(dialectNames)('in %s, without support', (dialect) => {
  test('steer is refused with what the agent advertised, and names the queue; nothing is sent', async () => {
    const { agent, session, connection } = await begun(dialect, plain[dialect]);
    const error = await session.steer('Also this.').catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'usage.capability', feature: 'session.steer' });
    expect(String(error)).toContain('Use session.queue');
    expect(String(error)).toContain('steer: _session/steering needs session.steer');
    expect(connection.explain('session.steer')).toMatchObject({ supported: false, value: undefined });
    expect(session.conversation).not.toHaveProperty('pendingMessages');
    await flush(agent);
    expect(sent(agent).map(({ method }) => method)).toEqual(['session/prompt']);
  });

  test('wrong content and wrong options are refused', async () => {
    const { session } = await begun(dialect, everything[dialect]);
    await expect(session.steer('')).rejects.toMatchObject({ code: 'usage.params' });
    await expect(session.steer([{ type: 'text' }] as never)).rejects.toMatchObject({ code: 'usage.params' });
    await expect(session.steer('x', { fallback: 'later' as never })).rejects.toMatchObject({
      code: 'usage.params',
    });
    await expect(session.revoke('x', { timeoutMs: -1 })).rejects.toMatchObject({ code: 'usage.params' });
  });
});

test('a turn that was steered and then never ends is named as such, and a cancel ends it', async () => {
  const { agent, session, diagnostics } = await openSession('v1', {
    initialize: extensionOnly('v1'),
    connect: { stallAfterMs: 20 },
    script: (agent) => injected(working('v1')(agent)),
  });
  const turn = session.prompt('Prompt 1.');
  await agent.called('session/prompt');
  await session.steer('Also this.');
  const later = session.queue('Later.');
  await eventually(() => diagnostics.at(-1)?.message ?? '').toContain('was steered into the turn');
  agent.on('session/cancel', () => {
    agent.answer(agent.calls('session/prompt')[0]?.id ?? '', { stopReason: 'cancelled' });
  });
  await session.cancel();
  expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  await agent.called('session/prompt', 2);
  await eventually(() => diagnostics).toHaveLength(2);
  expect(diagnostics[1]?.message).not.toContain('steered');
  await endTurn('v1', agent);
  expect(await later).toMatchObject({ stopReason: 'end_turn' });
});
