import { describe, expect, test } from 'vitest';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer } from '../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, loadMethod, settle } from '../support/agents.ts';
import {
  answers,
  connectFlushable,
  cwd,
  flush,
  openSession,
  outline,
  sentSinceInitialize,
} from '../support/open-session.ts';
import { permissionParams, repeats, says, stateUpdate } from '../support/updates.ts';
import { endsWhileTheUserIsAsked, replaysAfterACrash } from './dialects.ts';

/** What the pages about sessions of both versions say in the same words. */

describe.each(['v1', 'v2-baseline'] as const)('in %s', (dialect) => {
  test.each([
    ['the working directory', { cwd: 'project' }, 'cwd'],
    ['the working directory as a URI', { cwd: 'file:///home/user' }, 'cwd'],
    ['an additional directory', { cwd, additionalDirectories: ['/a', './b'] }, 'additionalDirectories.1'],
    [
      'the command of an MCP server',
      { cwd, mcpServers: [{ name: 'x', command: 'npx' }] },
      'mcpServers.0.command',
    ],
  ])('[27] v1, v2 %s must be absolute', async (_, params, path) => {
    const { agent, connection } = await connectFlushable(everything[dialect]);
    for (const call of [
      () => connection.newSession(params),
      () => connection.loadSession({ sessionId: 's1', ...params }),
      () => connection.resumeSession({ sessionId: 's1', ...params }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'usage.params', issues: [{ path }] });
    }
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  });

  test.each(['/srv/x', 'C:\\work', 'c:/work', '\\\\server\\share'])(
    '[27] v1, v2 %s counts as absolute on every platform',
    async (path) => {
      const { agent, connection } = await connectTo(everything[dialect], {
        answers: { 'session/new': { sessionId: 's1' } },
      });
      await connection.newSession({ cwd: path });
      expect(agent.calls('session/new')[0]?.params?.['cwd']).toBe(path);
    },
  );

  test('[28] v1, v2 an empty root is refused, and duplicates and the working directory are left out', async () => {
    const { agent, connection } = await connectFlushable(everything[dialect], {
      answers: { 'session/new': { sessionId: 's1' } },
    });
    const refused = { code: 'usage.params', issues: [{ path: 'additionalDirectories.1' }] };
    await expect(connection.newSession({ cwd, additionalDirectories: ['/a', ''] })).rejects.toMatchObject(
      refused,
    );
    await connection.newSession({ cwd, additionalDirectories: ['/b', cwd, '/a', '/b'] });
    const [{ params } = {}] = sentSinceInitialize(agent);
    expect(params?.['additionalDirectories']).toEqual(['/b', '/a']);
  });

  test('[18,30] v1, v2 additionalDirectories is sent whole each time, and left out where it is empty', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      answers: { 'session/new': { sessionId: 's1' }, 'session/load': {}, 'session/resume': {} },
    });
    const additionalDirectories = ['/b', '/a'];
    await connection.newSession({ cwd, additionalDirectories });
    await connection.loadSession({ sessionId: 's1', cwd, additionalDirectories });
    await connection.resumeSession({ sessionId: 's1', cwd, additionalDirectories });
    await connection.resumeSession({ sessionId: 's1', cwd, additionalDirectories: [] });
    const params = sentSinceInitialize(agent).map((call) => call.params?.['additionalDirectories']);
    expect(params).toEqual([additionalDirectories, additionalDirectories, additionalDirectories, undefined]);
  });

  test('[59] v1, v2 updates before the answer to session/new are folded in order, and the answer overwrites no state', async () => {
    const { agent, conversation } = await openSession(dialect, {
      script: (agent) =>
        agent.on('session/new', (_params, _agent, id) => {
          if (dialect !== 'v1') agent.update('s1', stateUpdate('running'));
          agent.update('s1', { sessionUpdate: 'session_info_update', title: 'Early' }, says('Welcome', 'm1'));
          agent.answer(id, { sessionId: 's1' });
          agent.update('s1', says('!', 'm1'));
          return noAnswer;
        }),
    });
    await flush(agent);
    expect(conversation().activity.state).toBe(dialect === 'v1' ? 'idle' : 'running');
    expect(conversation().info.title).toBe('Early');
    expect(outline(conversation())).toEqual(['agent: Welcome!']);
  });

  test('[59] v1, v2 a permission request before the answer to session/new waits for the session', async () => {
    const { agent } = await openSession(dialect, {
      handlers: { requestPermission: ({ options }) => options[0]?.optionId ?? '' },
      script: (agent) =>
        agent.on('session/new', async (_params, _agent, id) => {
          agent.request('session/request_permission', permissionParams(dialect));
          await settle();
          agent.answer(id, { sessionId: 's1' });
          return noAnswer;
        }),
    });
    await flush(agent);
    expect(answers(agent)).toMatchObject([{ result: { outcome: { outcome: 'selected', optionId: 'yes' } } }]);
  });

  test('[60] v1, v2 the replay and the state before the answer are in the conversation when load resolves', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      script: (agent) =>
        agent.on(loadMethod(dialect), () => {
          agent.update('s1', repeats('Hello', 'u1'));
          // As the newest drafts ask: chunks of a replay come after an empty message.
          const empty = { sessionUpdate: 'agent_message', messageId: 'm1', content: [] };
          if (dialect !== 'v1') agent.update('s1', empty, stateUpdate('requires_action'));
          agent.update('s1', says('Good ', 'm1'), says('morning.', 'm1'));
          return dialect === 'v1' ? null : {};
        }),
    });
    const { conversation } = await connection.loadSession({ sessionId: 's1', cwd });
    expect(outline(conversation)).toEqual(['user: Hello', 'agent: Good morning.']);
    expect(conversation.entries.map(({ origin }) => origin)).toEqual(['replay', 'replay']);
    expect(conversation.activity.state).toBe(dialect === 'v1' ? 'idle' : 'requires_action');
    expect(agent.calls(loadMethod(dialect))).toHaveLength(1);
  });
});

const nulls: Readonly<Record<DialectName, object>> = {
  v1: { modes: null, configOptions: null },
  'v2-markers': { configOptions: null },
  'v2-baseline': { configOptions: null, availableCommands: null },
};

describe.each(dialectNames)('in %s', (dialect) => {
  test.each([null, {}, nulls[dialect]])(
    '[70] v1, v2, v2-markers a load may be answered %j',
    async (answer) => {
      const { connection } = await connectTo(everything[dialect], {
        script: (agent) =>
          agent.on(loadMethod(dialect), () => {
            agent.update('s1', says('Hello', 'm1'));
            return answer;
          }),
      });
      const { conversation } = await connection.loadSession({ sessionId: 's1', cwd });
      expect(outline(conversation)).toEqual(['agent: Hello']);
      expect(conversation).toMatchObject({ modes: null, commands: [], configOptions: [] });
    },
  );

  test.each(['session/close', 'session/delete', 'the connection'] as const)(
    '[73] v1, v2, v2-markers ending %s first answers what the user was asked with cancelled',
    (way) => endsWhileTheUserIsAsked(dialect, way),
  );
});

test.each([
  ['load', 'v1'],
  ['load', 'v2-markers'],
  ['resume', 'v1'],
  ['resume', 'v2-markers'],
  ['resume', 'v2-baseline'],
] as const)(
  '[74] v1, v2, v2-markers a reconnect by %s keeps what was shown, and a replay only adds what is new (%s)',
  (call, dialect) => replaysAfterACrash(dialect, call),
);
