import { describe, expect, test } from 'vitest';
import { InvalidParamsError, NotFoundError, RemoteError } from '../../src/errors.ts';
import { RequestError } from '../../src/rpc/request-error.ts';
import { connectTo, everything, settle, text } from '../support/agents.ts';

const cwd = '/home/user/project';
const select = {
  id: 'model',
  name: 'Model',
  type: 'select',
  currentValue: 'small',
  options: [
    { value: 'small', name: 'Small' },
    { value: 'large', name: 'Large' },
  ],
};

describe('how agents handle sessions', () => {
  test('a setting that is answered with nothing is taken to be as it was asked for', async () => {
    const { connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent
          .on('session/new', { sessionId: 's1', configOptions: [select] })
          .on('session/set_config_option', {}),
    });
    const session = await connection.newSession({ cwd });
    await session.setConfigOption('model', 'large');
    expect(session.conversation.getSnapshot().configOptions).toMatchObject([
      { configId: 'model', currentValue: 'large' },
    ]);
  });

  test('fields that the protocol does not know do no harm', async () => {
    const initialize = {
      protocolVersion: 1,
      agentInfo: { name: 'scripted', version: '1.0.0', edition: 'beta' },
      agentCapabilities: { loadSession: true, sessionCapabilities: { subagents: {} } },
      steering: true,
    };
    const said = {
      sessionUpdate: 'agent_message_chunk',
      content: { ...text('Hello.'), importance: 1 },
      turn: 7,
    };
    const { connection, diagnostics } = await connectTo(initialize, {
      script: (agent) =>
        agent
          .on('session/new', {
            sessionId: 's1',
            models: { currentModelId: 'm', availableModels: [] },
            _meta: {},
          })
          .on('session/load', (_params, agent) => {
            agent.update('s1', said);
            return { sessionId: 's1', models: null };
          })
          .on('session/prompt', { stopReason: 'end_turn', usage: { totalTokens: 1 }, _meta: { x: 1 } }),
    });
    const session = await connection.newSession({ cwd });
    expect(await session.prompt('Hi.')).toMatchObject({ stopReason: 'end_turn' });
    await connection.loadSession({ sessionId: 's1', cwd });
    expect(session.conversation.getSnapshot().entries).toMatchObject([{ content: [text('Hello.')] }]);
    expect(diagnostics).toEqual([]);
  });

  test('updates that come before the answer that names their session are its first', async () => {
    const { connection, diagnostics } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/new', { sessionId: 's1' }).on('session/fork', (_params, agent) => {
          agent.update(
            's2',
            { sessionUpdate: 'user_message_chunk', content: text('Old question.') },
            { sessionUpdate: 'agent_message_chunk', content: text('Old answer.') },
          );
          return { sessionId: 's2' };
        }),
    });
    await connection.newSession({ cwd });
    const fork = await connection.forkSession({ sessionId: 's1', cwd });
    expect(fork.conversation.getSnapshot().entries).toMatchObject([{ role: 'user' }, { role: 'agent' }]);
    expect(diagnostics).toEqual([]);
  });

  test.each([
    [-32002, NotFoundError],
    [-32602, RemoteError],
    [-32603, RemoteError],
  ])(
    'a session that is not known is an error of the agent’s, with the code %s that it chose',
    async (code, kind) => {
      const { connection } = await connectTo(everything.v1, {
        script: (agent) =>
          agent.on('session/load', () => {
            throw new RequestError(code, 'Session not found');
          }),
      });
      const loading = connection.loadSession({ sessionId: 'gone', cwd });
      await expect(loading).rejects.toBeInstanceOf(kind);
      await expect(loading).rejects.toMatchObject({ rpcCode: code });
      expect(connection.sessions).toEqual([]);
    },
  );

  test('a load that fails so soon after the session began can be tried again', async () => {
    let minutes = 0;
    const { connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/load', (_params, agent) => {
          if (minutes === 0) throw new RequestError(-32603, 'Invalid session identifier');
          agent.update('s1', { sessionUpdate: 'agent_message_chunk', content: text('Here again.') });
          return {};
        }),
    });
    await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toThrow(
      'Invalid session identifier',
    );
    minutes++;
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    expect(session.conversation.getSnapshot().entries).toHaveLength(1);
  });

  test('a relative folder, which some agents take and others refuse, is never sent', async () => {
    const { agent, connection } = await connectTo(everything.v1, {
      script: (agent) => agent.on('session/new', { sessionId: 's1' }),
    });
    await expect(connection.newSession({ cwd: 'project' })).rejects.toBeInstanceOf(InvalidParamsError);
    await settle();
    expect(agent.calls('session/new')).toEqual([]);
  });

  test('a list without titles, times or an end of pages is a list', async () => {
    const { connection } = await connectTo(everything.v1, {
      script: (agent) =>
        agent.on('session/list', {
          sessions: [
            { sessionId: 'a', cwd },
            { sessionId: 'b', cwd, title: null, updatedAt: null, _meta: null },
          ],
          nextCursor: null,
        }),
    });
    const ids: string[] = [];
    for await (const { sessionId } of connection.listSessions()) ids.push(sessionId);
    expect(ids).toEqual(['a', 'b']);
  });
});
