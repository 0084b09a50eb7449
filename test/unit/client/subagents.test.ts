import { describe, expect, test } from 'vitest';
import { CapabilityError } from '../../../src/core/base/errors.ts';
import type { ClientHandlers } from '../../../src/core/client/requests/handlers.ts';
import type { ConversationStore } from '../../../src/core/conversation/store.ts';
import { maxSubagents } from '../../../src/core/conversation/subagents.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, loadMethod, refuses, settle } from '../../support/agents.ts';
import { cwd, deliver, flush, giveUp, openSession, outline, undecided } from '../../support/open-session.ts';
import { permissionParams, says, stateUpdate } from '../../support/updates.ts';

const started = { sessionUpdate: 'subagent_update', sessionId: 'child', title: 'Search' } as const;
const cancellable = { ...started, capabilities: { cancel: {} } };

/** What a conversation shows. */
const shown = (conversation: ConversationStore | undefined) =>
  conversation && outline(conversation.getSnapshot());

describe.each(dialectNames)('subagents in %s', (dialect) => {
  const withSession = (handlers: ClientHandlers = {}) =>
    openSession(dialect, { answers: { 'session/close': {} }, handlers });
  const undecidedSession = () => withSession({ requestPermission: () => new Promise(() => {}) });

  test('what it permits is the same in the conversation and in the session, after a load too', async () => {
    const { agent, connection, session } = await withSession();
    const load = () => {
      agent.update('s1', cancellable);
      return {};
    };
    agent.on('session/load', load).on('session/resume', load);
    const both = () => [
      session.conversation.subagents?.[0]?.capabilities,
      session.subagents[0]?.capabilities,
    ];
    await deliver(agent, cancellable);
    expect(both()).toEqual([{ cancel: {} }, { cancel: {} }]);
    await connection.loadSession({ sessionId: 's1', cwd });
    // What the agent replayed was so before.
    expect(both()).toEqual([null, null]);
    await deliver(agent, cancellable);
    expect(both()).toEqual([{ cancel: {} }, { cancel: {} }]);
  });

  test('works in the folders that the agent names, and otherwise in those of its parent', async () => {
    const { agent, connection, session } = await withSession();
    agent.on('session/resume', {});
    await connection.resumeSession({ sessionId: 's1', cwd, additionalDirectories: ['/shared'] });
    agent.update('s1', started);
    agent.update('child', { ...started, sessionId: 'grandchild' });
    await flush(agent);
    const folders = () =>
      session.subagents.map(({ cwd, additionalDirectories }) => [cwd, additionalDirectories]);
    expect(folders()).toEqual([
      [cwd, ['/shared']],
      [cwd, ['/shared']],
    ]);
    await deliver(agent, { ...started, cwd: '/tmp/tree', additionalDirectories: [] });
    expect(folders()).toEqual([
      ['/tmp/tree', []],
      ['/tmp/tree', []],
    ]);
    await deliver(agent, { ...started, cwd: null, additionalDirectories: null });
    expect(folders()[0]).toEqual([cwd, ['/shared']]);
  });

  test('keeps its state when the session is answered that announced it', async () => {
    const { agent, connection } = await withSession();
    agent.on('session/new', (_params, agent) => {
      agent.update('early', { ...cancellable, sessionId: 'second', state: { state: 'running' } });
      return { sessionId: 'early' };
    });
    const { subagents } = await connection.newSession({ cwd });
    expect(subagents).toMatchObject([{ state: { state: 'running' }, capabilities: { cancel: {} } }]);
  });

  const permission = (sessionId: string) => permissionParams(dialect, { sessionId });

  describe('what it does', () => {
    test('does not follow from its requests and messages', async () => {
      const { agent, session } = await undecidedSession();
      agent.update('s1', { ...started, state: { state: 'running' } });
      void agent.request('session/request_permission', permission('child'));
      agent.update('child', says('I wait.', 'm1'));
      await settle();
      expect(session.subagents[0]?.state?.state).toBe('running');
      expect(session.subagents[0]?.conversation.entries).toMatchObject([
        { kind: 'toolCall', permission: { options: [{ optionId: 'yes' }] } },
        { kind: 'message' },
      ]);
    });

    test.skipIf(dialect === 'v1')(
      'can be reported twice, by the parent and by the child itself, or by the child alone',
      async () => {
        const { agent, session } = await withSession();
        const reportsRunning = async () => {
          agent.update('child', stateUpdate('running'));
          await flush(agent);
          expect(session.subagents[0]?.state).toEqual({ state: 'running', stopReason: null });
        };
        await deliver(agent, started);
        await reportsRunning();
        const idle = { state: 'idle', stopReason: 'end_turn' };
        await deliver(agent, { ...started, state: idle });
        const before = session.subagents[0]?.conversation;
        agent.update('child', { ...idle, sessionUpdate: 'state_update' });
        await flush(agent);
        expect(session.subagents[0]?.conversation).toBe(before);
        await reportsRunning();
      },
    );
  });

  test('is not opened, and is sent what the caller insists on', async () => {
    const { agent, connection, session } = await withSession();
    await deliver(agent, started);
    const params = { sessionId: 'child' };
    await expect(connection.openSession({ ...params, cwd })).rejects.toThrow('is a subagent');
    expect(session.subagents).toHaveLength(1);
    await connection.notify('session/cancel', params, { allowUnsupported: true });
    expect((await agent.called('session/cancel')).params).toEqual(params);
  });

  describe('when the user cancels', () => {
    test.each(['it', 'the session'] as const)(
      '%s, what it asks is answered, and its tool calls are cancelled',
      async (what) => {
        const { agent, session } = await undecidedSession();
        await deliver(agent, started);
        agent.update('child', { ...cancellable, sessionId: 'grandchild', state: { state: 'running' } });
        const answer = agent.request('session/request_permission', permission('grandchild'));
        await settle();
        const [, grandchild] = session.subagents;
        const cancelled = what === 'it' ? grandchild : session;
        await cancelled?.cancel();
        expect((await answer).result).toEqual({ outcome: { outcome: 'cancelled' } });
        expect(agent.calls('session/cancel')).toMatchObject([
          { params: { sessionId: cancelled?.sessionId } },
        ]);
        expect(shown(grandchild?.store)).toEqual(['t1: cancelled']);
      },
    );

    test.skipIf(dialect === 'v1').each([
      ['continues', 'works', 'subagent', 'pending'],
      ['is cancelled', 'is named by other work', '_watch', 'cancelled'],
    ])('a subagent %s that %s in the background', async (_, __, type, status) => {
      const { agent, session } = await undecidedSession();
      agent.update('s1', { ...started, state: { state: 'running' } });
      const background = [{ type, sessionId: 'child' }];
      agent.update('s1', stateUpdate('running', { background }));
      void agent.request('session/request_permission', permission('child'));
      await settle();
      await session.cancel();
      await settle();
      expect(session.subagents[0]?.conversation.entries).toMatchObject([
        {
          toolCallId: 't1',
          status,
          permission: status === 'pending' ? { options: [{ optionId: 'yes' }] } : null,
        },
      ]);
    });
  });

  test.each(['session', 'connection'] as const)(
    'its questions are answered before its %s is closed',
    async (what) => {
      const opened = await undecidedSession();
      const { agent } = opened;
      agent.update('s1', started);
      const answer = agent.request('session/request_permission', permission('child'));
      agent.on('session/close', () => answer.then(() => ({})));
      await settle();
      await opened[what].close();
      expect((await answer).result).toEqual({ outcome: { outcome: 'cancelled' } });
    },
  );

  test('works on when the agent refuses to close its session', async () => {
    const { agent, session } = await withSession({
      requestPermission: () => ({ outcome: 'selected', optionId: 'yes' }),
    });
    agent.on('session/close', refuses(-32603, 'not now'));
    await deliver(agent, cancellable);
    await expect(session.close()).rejects.toThrow('not now');
    const { result } = await agent.request('session/request_permission', permission('child'));
    expect(result).toEqual({ outcome: { outcome: 'selected', optionId: 'yes' } });
    await session.subagents[0]?.cancel();
    await settle();
    expect(agent.received.at(-1)).toMatchObject({ method: 'session/cancel', params: { sessionId: 'child' } });
  });

  test('the end of the connection ends the questions of its subagents, and what they do', async () => {
    const { signals, handlers } = undecided();
    const { agent, connection, session } = await withSession(handlers);
    agent.update('s1', started, { ...started, state: { state: 'running' } });
    void agent.request('session/request_permission', permission('child'));
    await settle();
    const [subagent] = session.subagents;
    agent.channel.exit({ exitCode: 3 });
    await connection.closed;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    const { entries, activity } = subagent!.conversation;
    expect(entries).toMatchObject([{ toolCallId: 't1', status: 'cancelled', permission: null }]);
    expect(activity.state).toBe('idle');
    expect(session.subagents).toEqual([]);
  });

  test('the subagents of a closed session take no more updates', async () => {
    const { agent, session, diagnostics } = await withSession();
    await deliver(agent, started);
    const [subagent] = session.subagents;
    await session.close();
    agent.update('child', says('Too late.', 'm1'));
    await settle();
    expect(subagent?.conversation.entries).toEqual([]);
    expect(diagnostics).toMatchObject([{ rule: 'protocol.unknown_session' }]);
    const before = agent.received.length;
    await subagent?.cancel();
    expect(agent.received).toHaveLength(before);
  });

  test('stays with the session that it was announced for', async () => {
    const { agent, connection, session, diagnostics } = await withSession();
    agent.on('session/new', { sessionId: 'other' });
    const other = await connection.newSession({ cwd });
    agent.update('s1', started);
    agent.update('other', { ...started, sessionId: 'second' });
    agent.update('child', { ...started, sessionId: 'grandchild', title: 'First' });
    agent.update('s1', { ...started, sessionId: 'grandchild', title: 'Second' });
    agent.update('s1', { ...started, sessionId: 's1' });
    agent.update('child', { ...started, title: 'Myself' });
    await flush(agent);
    const shownIn = ({ subagents }: typeof session) =>
      subagents.map(({ sessionId, parentSessionId, title }) => [sessionId, parentSessionId, title]);
    expect(shownIn(session)).toEqual([
      ['child', 's1', 'Search'],
      ['grandchild', 'child', 'First'],
    ]);
    expect(shownIn(other)).toEqual([['second', 'other', 'Search']]);
    expect(session.conversation.subagents).toHaveLength(1);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(Array(3).fill('protocol.malformed_update'));
  });

  test('[reliability: limit-subagents] are no more than the limit, and the updates of further ones are dropped', async () => {
    const { agent, session, diagnostics } = await withSession();
    for (let index = 0; index < maxSubagents; index++) {
      agent.update('s1', { ...started, sessionId: `child-${index}` });
    }
    await settle();
    expect(diagnostics).toEqual([]);
    agent.update('s1', { ...started, sessionId: 'one-more' });
    agent.update('one-more', says('Lost.', 'm1'));
    agent.update('child-0', { ...started, sessionId: 'nested' });
    await deliver(agent, { ...started, sessionId: 'child-0', title: 'Known' });
    expect(session.subagents).toHaveLength(maxSubagents);
    expect(session.conversation.subagents).toHaveLength(maxSubagents);
    expect(session.subagents[0]?.title).toBe('Known');
    expect(diagnostics.map(({ rule, message }) => [rule, message])).toEqual([
      ['protocol.unknown_session', expect.stringContaining('more than 1000 subagents')],
      ['protocol.unknown_session', expect.stringContaining('"one-more", which is not open here')],
      ['protocol.unknown_session', expect.stringContaining('"nested"')],
    ]);
  });
});

describe.each(['v1', 'v2-baseline'] as const)('a session with subagents in %s is opened again', (dialect) => {
  const method = loadMethod(dialect);

  async function withChild(replay: (agent: ScriptedAgent) => unknown) {
    const opened = await openSession(dialect, {
      answers: {
        [method]: (_, by) => {
          replay(by);
          return {};
        },
      },
    });
    const { agent, connection } = opened;
    agent.update('s1', { ...cancellable, state: { state: 'running' } });
    agent.update('child', says('Before.', 'm1'));
    await flush(agent);
    const load = () => connection.loadSession({ sessionId: 's1', cwd });
    return { ...opened, load };
  }

  test('its history takes the place of what was there, and what is so now is what comes after the answer', async () => {
    const { agent, session, load } = await withChild((by) => {
      by.update('s1', { ...cancellable, title: 'Replayed', state: { state: 'running' } });
      by.update('child', says('Replayed.', 'm9'));
    });
    const [subagent] = session.subagents;
    await load();
    expect(session.subagents).toEqual([subagent]);
    expect(subagent).toMatchObject({ title: 'Replayed', capabilities: null, state: null });
    expect(subagent?.conversation.entries).toMatchObject([
      { kind: 'message', messageId: 'm9', origin: 'replay' },
    ]);
    await expect(subagent?.cancel()).rejects.toBeInstanceOf(CapabilityError);
    agent.update('s1', { ...cancellable, state: { state: 'idle', stopReason: 'end_turn' } });
    agent.update('child', says('Now.', 'm10'));
    await settle();
    expect(subagent?.state).toMatchObject({ state: 'idle', stopReason: 'end_turn' });
    expect(shown(subagent?.store)).toEqual(['agent: Replayed.', 'agent: Now.']);
    await subagent?.cancel();
    expect(agent.received.at(-1)).toMatchObject({ params: { sessionId: 'child' } });
  });

  test('a subagent that is announced again while its history is sent is one, with one history', async () => {
    const { session, load } = await withChild((by) => {
      by.update('s1', { ...started, state: { state: 'running' } });
      by.update('child', says('Replayed.', 'm8'));
      by.update('s1', { ...started, state: { state: 'idle', stopReason: 'end_turn' } });
      by.update('s1', { ...started, title: 'Search again' });
      by.update('child', says('All of it.', 'm9'));
    });
    await load();
    expect(session.subagents).toHaveLength(1);
    expect(session.conversation.subagents).toHaveLength(1);
    expect(session.subagents[0]).toMatchObject({ sessionId: 'child', title: 'Search again' });
    expect(shown(session.subagents[0]?.store)).toEqual(['agent: Replayed.', 'agent: All of it.']);
  });

  test('a subagent that is not in the replay keeps its conversation', async () => {
    const { session, load } = await withChild(() => {});
    await load();
    expect(shown(session.subagents[0]?.store)).toEqual(['agent: Before.']);
    expect(session.subagents[0]).toMatchObject({ capabilities: null, state: null });
  });

  test('a load that fails brings back what was there', async () => {
    const { session, load } = await withChild((by) => {
      by.update('s1', started);
      by.update('child', says('Replayed.', 'm9'));
      throw new Error('The history is lost.');
    });
    await expect(load()).rejects.toThrow();
    expect(shown(session.subagents[0]?.store)).toEqual(['agent: Before.']);
    expect(session.subagents[0]?.capabilities).toBeNull();
  });

  test('the rest of a load that was given up is dropped, up to its answer', async () => {
    const { agent, session, connection } = await withChild(() => {});
    agent.on(method, () => noAnswer);
    const params = { sessionId: 's1', cwd };
    const id = await giveUp(agent, method, (options) => connection.loadSession(params, options));
    agent.update('child', says('Replayed.', 'm8'));
    await settle();
    agent.answer(id, {});
    agent.update('child', says('Now.', 'm9'));
    await settle();
    expect(shown(session.subagents[0]?.store)).toEqual(['agent: Before.', 'agent: Now.']);
  });

  test('a resume keeps what is shown, and adds what is new to it', async () => {
    const { agent, connection, session } = await withChild(() => {});
    await deliver(agent, { ...cancellable, state: { state: 'idle' } });
    agent.on('session/resume', (_params, agent) => {
      agent.update('s1', { ...cancellable, title: 'Resumed' });
      agent.update('child', says('Before.', 'm1'), says('New.', 'm2'));
      return {};
    });
    await connection.resumeSession({ sessionId: 's1', cwd });
    expect(session.subagents[0]?.title).toBe('Resumed');
    expect(session.subagents[0]?.conversation.entries).toMatchObject([
      { messageId: 'm1', origin: 'live' },
      { messageId: 'm2', origin: 'replay' },
    ]);
    expect(shown(session.subagents[0]?.store)).toEqual(['agent: Before.', 'agent: New.']);
  });
});
