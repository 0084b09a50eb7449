import { describe, expect, test } from 'vitest';
import { supportedMcpServers } from '../../src/core/client/mcp-servers.ts';
import type { McpServerConfig } from '../../src/core/model/mcp-server.ts';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { noAnswer } from '../../src/records/testing/scripted-agent.ts';
import {
  connectTo,
  dialectNames,
  everything,
  loadMethod,
  nothing,
  refuses,
  settle,
} from '../support/agents.ts';
import { answers, cwd, flush, openSession, outline, sentSinceInitialize } from '../support/open-session.ts';
import { permissionParams, repeats, says, stateUpdate } from '../support/updates.ts';
import { endsWhileTheUserIsAsked, replaysAfterACrash } from './dialects.ts';

/** What the pages about sessions of both versions say in the same words. */

describe.each(['v1', 'v2-baseline'] as const)('in %s', (dialect) => {
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

  test('[28,30] v1, v2 additionalDirectories is sent whole each time, without duplicates and the working directory, and left out where it is empty', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      answers: { 'session/new': { sessionId: 's1' }, 'session/load': {}, 'session/resume': {} },
    });
    const additionalDirectories = ['/b', '/a'];
    await connection.newSession({ cwd, additionalDirectories: ['/b', cwd, '/a', '/b'] });
    await connection.loadSession({ sessionId: 's1', cwd, additionalDirectories });
    await connection.resumeSession({ sessionId: 's1', cwd, additionalDirectories });
    await connection.resumeSession({ sessionId: 's1', cwd, additionalDirectories: [] });
    const params = sentSinceInitialize(agent).map((call) => call.params?.['additionalDirectories']);
    expect(params).toEqual([additionalDirectories, additionalDirectories, additionalDirectories, undefined]);
  });

  test('[59] [agents: update-before-session] v1, v2 updates before the answer to session/new are folded in order, and the answer overwrites no state', async () => {
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
  test('[29] v1, v2, v2-markers lists that an MCP server omits are sent empty, and stdio has a type in version 2 only', async () => {
    const { agent, connection } = await connectTo(everything[dialect], {
      answers: { 'session/new': { sessionId: 's1' } },
    });
    const stdio = { name: 'files', command: '/usr/bin/mcp-files' };
    const http = { type: 'http', name: 'web', url: 'https://example.com/mcp' } as const;
    await connection.newSession({ cwd, mcpServers: [stdio, { type: 'stdio', ...stdio }, http] });
    const sent = { ...stdio, args: [], env: [], ...(dialect !== 'v1' && { type: 'stdio' }) };
    expect(agent.calls('session/new')[0]?.params?.['mcpServers']).toEqual([
      sent,
      sent,
      { ...http, headers: [] },
    ]);
  });

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
    '[73] [agents: prompt-never-answered] v1, v2, v2-markers ending %s first answers what the user was asked with cancelled',
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

test('[65] v2 closing a session that the agent does not know succeeds', async () => {
  const { session } = await openSession('v2-baseline', {
    answers: { 'session/close': refuses(-32002, 'Resource not found', { sessionId: 's1' }) },
  });
  await session.close();
  expect(session.isClosed).toBe(true);
});

const servers: readonly McpServerConfig[] = [
  { name: 'program', command: '/bin/program', args: [], env: [] },
  { type: 'http', name: 'web', url: 'https://example.com/mcp', headers: [] },
  { type: 'sse', name: 'old', url: 'https://example.com/sse', headers: [] },
  { type: '_pipe', name: 'own' },
];
const named = (list: readonly McpServerConfig[]) => list.map(({ name }) => name);

const expected = {
  v1: { all: ['program', 'web', 'old'], none: ['program'] },
  'v2-markers': { all: ['program', 'web', 'own'], none: [] },
  'v2-baseline': { all: ['program', 'web', 'own'], none: [] },
};

test.each(dialectNames)(
  '[19] v1, v2, v2-markers the servers that an agent supports can be passed, and the others have a reason (%s)',
  async (dialect) => {
    for (const [initialize, which] of [
      [everything[dialect], 'all'],
      [{ ...nothing[dialect], ...(dialect !== 'v1' && { capabilities: { session: {} } }) }, 'none'],
    ] as const) {
      const { agent, connection } = await connectTo(initialize, {
        answers: { 'session/new': { sessionId: 's1' } },
      });
      const { supported, unsupported } = supportedMcpServers(connection, servers);
      expect(named(supported)).toEqual(expected[dialect][which]);
      await connection.newSession({ cwd, mcpServers: supported });
      expect(agent.calls('session/new')[0]?.params).toMatchObject({
        mcpServers: supported.map(({ name }) => ({ name })),
      });
      for (const { server, feature, reason } of unsupported) {
        expect(reason).toBe(connection.explain(feature).reason);
        await expect(connection.newSession({ cwd, mcpServers: [server] })).rejects.toMatchObject({
          code: expect.stringMatching(/^usage\./),
        });
      }
      expect(supported.length + unsupported.length).toBe(servers.length);
    }
  },
);
