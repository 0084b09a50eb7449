import { describe, expect, test } from 'vitest';
import { NotFoundError } from '../../src/errors.ts';
import { RequestError } from '../../src/rpc/request-error.ts';
import { silence, updateMessage } from '../../src/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, settle, text } from '../support/agents.ts';

const cwd = '/home/user/project';

/** The method that replays in each dialect. */
const replayMethod = {
  v1: 'session/load',
  'v2-markers': 'session/load',
  'v2-baseline': 'session/resume',
} as const;

const chunk = (messageId: string, said: string) => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: text(said),
});

describe.each(dialectNames)('sessions in %s', (dialect) => {
  test('new: a session that the agent gives an empty name is the fault of the agent', async () => {
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) => agent.on('session/new', { sessionId: '' }),
    });
    await expect(connection.newSession({ cwd })).rejects.toMatchObject({ code: 'protocol.message' });
    expect(connection.sessions).toEqual([]);
  });

  test('new: updates on either side of the answer are folded, in order', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/new', (_params, agent, id) => {
          agent.update('s1', chunk('m1', 'early '));
          agent.answer(id, { sessionId: 's1' });
          agent.update('s1', chunk('m1', 'late'));
          return new Promise(() => {});
        }),
    });
    expect(connection.dialect).toBe(dialect);
    const session = await connection.newSession({ cwd });
    expect(session.conversation.getSnapshot().entries).toMatchObject([{ content: [text('early ')] }]);
    await settle();
    expect(session.conversation.getSnapshot().entries).toMatchObject([{ content: [text('early late')] }]);
    expect(agent.calls('session/new')[0]?.params).toMatchObject({ cwd });
  });

  test('new: an id that is taken is the session that has it, and every prompt settles', async () => {
    const { agent, connection, diagnostics } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/new', { sessionId: 's1' }).on('session/prompt', () => {
          return dialect === 'v1' ? silence : { messageId: 'm1' };
        }),
    });
    const session = await connection.newSession({ cwd });
    const again = await connection.newSession({ cwd: '/elsewhere' });
    expect(again).toBe(session);
    expect(connection.sessions).toEqual([session]);
    expect(diagnostics).toMatchObject([{ rule: 'protocol.malformed_result' }]);
    const turns = [session.prompt('one'), again.prompt('two')];
    await settle();
    agent.channel.exit();
    for (const turn of turns) await expect(turn).rejects.toMatchObject({ code: 'connection.closed' });
  });

  test('load: resolves when the replay before the answer is folded', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on(replayMethod[dialect], (_params, agent, id) => {
          const updates = Array.from({ length: 500 }, (_, n) => chunk(`m${Math.floor(n / 10)}`, `${n} `));
          agent.update('s1', ...updates);
          agent.answer(id, dialect === 'v1' ? null : {});
          return new Promise(() => {});
        }),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    const { entries } = session.conversation.getSnapshot();
    expect(entries).toHaveLength(50);
    expect(entries.every((entry) => entry.origin === 'replay')).toBe(true);
    const params = agent.calls(replayMethod[dialect])[0]?.params;
    expect(params?.['replayFrom']).toEqual(dialect === 'v2-baseline' ? { type: 'start' } : undefined);
  });

  test('load over an open session begins anew, and a failed one leaves it as it was', async () => {
    let fail = false;
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on(replayMethod[dialect], (_params, agent) => {
          agent.update('s1', chunk('m1', fail ? 'half of another' : 'once'));
          if (fail) throw new RequestError(-32603, 'disk on fire');
          return {};
        }),
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    const again = await connection.loadSession({ sessionId: 's1', cwd });
    expect(again).toBe(session);
    const before = session.conversation.getSnapshot();
    expect(before.entries).toMatchObject([{ content: [text('once')] }]);
    fail = true;
    await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toThrow('disk on fire');
    expect(session.conversation.getSnapshot()).toEqual(before);
  });

  describe('of a load that is given up over an open session', () => {
    /** Opens a session, and gives up loading it again half way. */
    async function giveUp() {
      let loads = 0;
      const connected = await connectTo(everything[dialect], {
        script: (agent) =>
          agent
            .on(replayMethod[dialect], (_params, agent) => {
              agent.update('s1', chunk('m1', loads === 0 ? 'once' : 'on'));
              return loads++ === 0 ? {} : silence;
            })
            .on('session/prompt', (_params, agent) => {
              agent.update('s1', chunk('m2', 'an answer'));
              return silence;
            }),
      });
      const { agent, connection } = connected;
      const session = await connection.loadSession({ sessionId: 's1', cwd });
      const before = session.conversation.getSnapshot();
      const control = new AbortController();
      const loading = connection.loadSession({ sessionId: 's1', cwd, signal: control.signal });
      const { id = '' } = await agent.called(replayMethod[dialect], 2);
      await settle();
      control.abort(new Error('never mind'));
      await expect(loading).rejects.toThrow('never mind');
      expect(session.conversation.getSnapshot()).toEqual(before);
      agent.update('s1', chunk('m1', 'ce'), { sessionUpdate: 'session_info_update', title: 'A tale' });
      await settle();
      return { ...connected, id, session, before };
    }

    test('the rest of the replay is passed over until the agent answers', async () => {
      const { agent, id, session, before } = await giveUp();
      const { entries, info } = session.conversation.getSnapshot();
      expect(entries).toEqual(before.entries);
      // How things stand is true, whoever asked.
      expect(info.title).toBe('A tale');
      agent.channel.send(
        updateMessage('s1', chunk('m1', 'again')),
        { jsonrpc: '2.0', id, result: {} },
        updateMessage('s1', chunk('m2', 'and now')),
      );
      await settle();
      expect(session.conversation.getSnapshot().entries).toMatchObject([
        { origin: 'replay', content: [text('once')] },
        { content: [text('and now')] },
      ]);
    });

    test('an agent that never answers it is heard again with the next prompt', async () => {
      const { session } = await giveUp();
      session.prompt('Go on.').catch(() => {});
      await settle();
      expect(session.conversation.getSnapshot().entries).toMatchObject([
        { role: 'agent', content: [text('once')] },
        { role: 'user', content: [text('Go on.')] },
        { role: 'agent', content: [text('an answer')] },
      ]);
    });

    test('an agent that never answers it is heard again with the next load', async () => {
      const { agent, connection, session } = await giveUp();
      agent.on(replayMethod[dialect], (_params, agent) => {
        agent.update('s1', chunk('m1', 'anew'));
        return {};
      });
      await connection.loadSession({ sessionId: 's1', cwd });
      expect(session.conversation.getSnapshot().entries).toMatchObject([{ content: [text('anew')] }]);
    });
  });

  test('resume asks for no replay', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) => agent.on('session/resume', {}),
    });
    const session = await connection.resumeSession({ sessionId: 's1', cwd });
    expect(session.conversation.getSnapshot().entries).toEqual([]);
    expect(agent.calls('session/resume')[0]?.params).not.toHaveProperty('replayFrom');
  });

  test('list follows the pages, passes cursors on as they are, and stops when they go in a circle', async () => {
    const pages: Record<string, object> = {
      none: { sessions: [{ sessionId: 'a', cwd }], nextCursor: '' },
      '': { sessions: [{ sessionId: 'b', cwd, title: null }], nextCursor: 'x/=' },
      'x/=': { sessions: [{ sessionId: 'c', cwd }], nextCursor: null },
    };
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) => agent.on('session/list', ({ cursor }) => pages[(cursor as string) ?? 'none']),
    });
    const ids: string[] = [];
    for await (const { sessionId } of connection.listSessions({ cwd })) ids.push(sessionId);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(agent.calls('session/list').map(({ params }) => params)).toEqual([
      { cwd },
      { cwd, cursor: '' },
      { cwd, cursor: 'x/=' },
    ]);
    expect(await connection.listSessions().page('x/=')).toEqual({ sessions: [{ sessionId: 'c', cwd }] });
    agent.on('session/list', { sessions: [], nextCursor: 'round' });
    const all = async () => {
      for await (const _ of connection.listSessions());
    };
    await expect(all()).rejects.toMatchObject({ code: 'protocol.message' });
  });

  test('close folds the last updates first, and a session that is gone counts as closed', async () => {
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on('session/new', { sessionId: 's1' }).on('session/close', (_params, agent) => {
          agent.update('s1', chunk('m1', 'last words'));
          throw new RequestError(-32002, 'never heard of it');
        }),
    });
    const session = await connection.newSession({ cwd });
    await session.close();
    expect(session.conversation.getSnapshot().entries).toMatchObject([{ content: [text('last words')] }]);
    expect(session.closed).toBe(true);
    await expect(session.prompt('more')).rejects.toMatchObject({ code: 'usage.state' });
    await session.close();
  });

  test('of a session whose agent has ended, every call tells of that', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) => agent.on('session/new', { sessionId: 's1' }),
    });
    const session = await connection.newSession({ cwd });
    const exit = { exitCode: 9, signal: null, stderrTail: 'Out of tea.' };
    agent.channel.exit(exit);
    await connection.closed;
    for (const call of [
      () => session.prompt('more'),
      () => session.cancel(),
      () => session.setConfigOption('model', 'small'),
    ]) {
      const error = await call().catch((failure: unknown) => failure);
      expect(error).toMatchObject({ code: 'connection.closed', exit });
      expect(error).toHaveProperty('message', expect.stringContaining('Nothing was sent'));
    }
    await session.close();
    await connection.close();
    await expect(session.prompt('more')).rejects.toMatchObject({ code: 'connection.closed' });
  });

  test('of a session whose connection was closed here, a call says to connect again', async () => {
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) => agent.on('session/new', { sessionId: 's1' }),
    });
    const session = await connection.newSession({ cwd });
    await connection.close();
    await expect(session.prompt('more')).rejects.toMatchObject({
      code: 'usage.state',
      message: expect.stringContaining('Connect again'),
    });
  });

  test('delete', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) => agent.on('session/delete', {}),
    });
    await connection.deleteSession('s9');
    expect(agent.calls('session/delete')[0]?.params).toEqual({ sessionId: 's9' });
  });

  test('a session that the agent does not know is a NotFoundError, and nothing of it stays', async () => {
    const { connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on(replayMethod[dialect], () => {
          throw new RequestError(-32002, 'Session not found', { sessionId: 'nope' });
        }),
    });
    await expect(connection.loadSession({ sessionId: 'nope', cwd })).rejects.toBeInstanceOf(NotFoundError);
    expect(connection.sessions).toEqual([]);
  });

  test('updates of a session that nobody opened are reported and dropped', async () => {
    const { agent, diagnostics } = await connectTo(everything[dialect]);
    agent.update('stranger', chunk('m1', 'psst'));
    await settle();
    expect(diagnostics).toMatchObject([{ rule: 'protocol.unknown_session' }]);
  });
});
