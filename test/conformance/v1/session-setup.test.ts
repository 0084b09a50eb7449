import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { connectTo, everything, settle } from '../../support/agents.ts';
import {
  answers,
  connectFlushable,
  cwd,
  flush,
  openSession,
  outline,
  sentSinceInitialize,
} from '../../support/open-session.ts';
import { repeats, says } from '../../support/updates.ts';
import { endsWhileTheUserIsAsked, replaysAfterACrash } from '../dialects.ts';

/** Everything is advertised but what `change` takes away. */
function advertised(change: JsonObject): JsonObject {
  const { agentCapabilities, ...rest } = everything.v1 as { agentCapabilities: JsonObject };
  return { ...rest, agentCapabilities: { ...agentCapabilities, ...change } };
}

function withoutSession(key: string, value?: JsonObject[string]): JsonObject {
  const { sessionCapabilities } = (everything.v1 as { agentCapabilities: JsonObject }).agentCapabilities;
  const { [key]: _, ...rest } = sessionCapabilities as JsonObject;
  return advertised({ sessionCapabilities: value === undefined ? rest : { ...rest, [key]: value } });
}

const mcp = {
  stdio: { name: 'files', command: '/usr/bin/mcp-files' },
  http: { type: 'http', name: 'web', url: 'https://example.com/mcp' },
  sse: { type: 'sse', name: 'old', url: 'https://example.com/sse' },
} as const;

test.each([false, null, {}, 'true'])(
  '[11] v1 session/load is refused where loadSession is %j',
  async (loadSession) => {
    const { agent, connection } = await connectFlushable(advertised({ loadSession }));
    await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toMatchObject({
      code: 'usage.capability',
      method: 'session/load',
      missing: [{ feature: 'session.load', path: 'agentCapabilities.loadSession', value: loadSession }],
    });
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  },
);

test('[11] v1 session/load is sent where loadSession is true', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    answers: { 'session/load': {} },
  });
  await connection.loadSession({ sessionId: 's1', cwd });
  expect(agent.calls('session/load')).toHaveLength(1);
});

test.each([undefined, null, true, false])(
  '[14,15] v1 session/resume and session/close are refused where their markers are %j',
  async (marker) => {
    const { agent, connection } = await connectFlushable(withoutSession('resume', marker as never));
    await expect(connection.resumeSession({ sessionId: 's1', cwd })).rejects.toMatchObject({
      code: 'usage.capability',
      missing: [
        { feature: 'session.resume', path: 'agentCapabilities.sessionCapabilities.resume', value: marker },
      ],
    });
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
    const { agent: other, session } = await openSession('v1', {
      initialize: withoutSession('close', marker as never),
    });
    await expect(session.close()).rejects.toMatchObject({
      code: 'usage.capability',
      missing: [
        { feature: 'session.close', path: 'agentCapabilities.sessionCapabilities.close', value: marker },
      ],
    });
    await flush(other);
    expect(other.calls('session/close')).toEqual([]);
    expect(session.isClosed).toBe(false);
  },
);

test('[14,15] v1 session/resume and session/close are sent where they are advertised', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    answers: { 'session/resume': {}, 'session/close': {} },
  });
  const session = await connection.resumeSession({ sessionId: 's1', cwd });
  await session.close();
  expect(sentSinceInitialize(agent).map(({ method, params }) => [method, params])).toEqual([
    ['session/resume', { sessionId: 's1', cwd, mcpServers: [] }],
    ['session/close', { sessionId: 's1' }],
  ]);
});

test('[18] v1 additionalDirectories is refused where it is not advertised, and the key is left out where it is empty', async () => {
  const { agent, connection } = await connectFlushable(withoutSession('additionalDirectories'), {
    answers: { 'session/new': { sessionId: 's1' } },
  });
  await expect(connection.newSession({ cwd, additionalDirectories: ['/other'] })).rejects.toMatchObject({
    code: 'usage.capability',
    feature: 'session.additionalDirectories',
  });
  await connection.newSession({ cwd, additionalDirectories: [] });
  expect(sentSinceInitialize(agent).map(({ params }) => params)).toEqual([{ cwd, mcpServers: [] }]);
});

test('[18,30] v1 additionalDirectories is sent whole to new, load and resume where it is advertised', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    answers: { 'session/new': { sessionId: 's1' }, 'session/load': {}, 'session/resume': {} },
  });
  const additionalDirectories = ['/b', '/a'];
  await connection.newSession({ cwd, additionalDirectories });
  await connection.loadSession({ sessionId: 's1', cwd, additionalDirectories });
  await connection.resumeSession({ sessionId: 's1', cwd, additionalDirectories });
  const params = sentSinceInitialize(agent).map((call) => call.params?.['additionalDirectories']);
  expect(params).toEqual([additionalDirectories, additionalDirectories, additionalDirectories]);
});

test.each(['http', 'sse'] as const)('[19] v1 an MCP server over %s needs its flag', async (type) => {
  for (const flag of [undefined, false, {}]) {
    const { agent, connection } = await connectFlushable(
      advertised({ mcpCapabilities: { [type]: flag as never } }),
    );
    await expect(connection.newSession({ cwd, mcpServers: [mcp.stdio, mcp[type]] })).rejects.toMatchObject({
      code: 'usage.capability',
      missing: [
        { feature: `session.mcp.${type}`, path: `agentCapabilities.mcpCapabilities.${type}`, value: flag },
      ],
    });
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  }
});

test('[19] v1 stdio needs no capability, and custom transports are refused', async () => {
  const { agent, connection } = await connectFlushable(
    { protocolVersion: 1, agentCapabilities: {} },
    {
      answers: { 'session/new': { sessionId: 's1' } },
    },
  );
  await connection.newSession({ cwd, mcpServers: [mcp.stdio] });
  await expect(
    connection.newSession({ cwd, mcpServers: [{ type: '_pipe', name: 'own' }] }),
  ).rejects.toMatchObject({
    code: 'usage.params',
  });
  await flush(agent);
  expect(agent.calls('session/new')).toHaveLength(1);
});

test.each([
  ['the working directory', { cwd: 'project' }, 'cwd'],
  ['the working directory as a URI', { cwd: 'file:///home/user' }, 'cwd'],
  ['an additional directory', { cwd, additionalDirectories: ['/a', './b'] }, 'additionalDirectories.1'],
  [
    'the command of an MCP server',
    { cwd, mcpServers: [{ name: 'x', command: 'npx' }] },
    'mcpServers.0.command',
  ],
])('[27] v1 %s must be absolute', async (_, params, path) => {
  const { agent, connection } = await connectFlushable(everything.v1);
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
  '[27] v1 %s counts as absolute on every platform',
  async (path) => {
    const { agent, connection } = await connectTo(everything.v1, {
      answers: { 'session/new': { sessionId: 's1' } },
    });
    await connection.newSession({ cwd: path });
    expect(agent.calls('session/new')[0]?.params?.['cwd']).toBe(path);
  },
);

test('[28] v1 an empty root is refused, and duplicates and the working directory are left out', async () => {
  const { agent, connection } = await connectFlushable(everything.v1, {
    answers: { 'session/new': { sessionId: 's1' } },
  });
  await expect(connection.newSession({ cwd, additionalDirectories: ['/a', ''] })).rejects.toMatchObject({
    code: 'usage.params',
    issues: [{ path: 'additionalDirectories.1' }],
  });
  await connection.newSession({ cwd, additionalDirectories: ['/b', cwd, '/a', '/b'] });
  expect(sentSinceInitialize(agent).map(({ params }) => params?.['additionalDirectories'])).toEqual([
    ['/b', '/a'],
  ]);
});

test('[29] v1 mcpServers and the lists in it are always sent, and stdio has no type', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    answers: { 'session/new': { sessionId: 's1' }, 'session/load': null },
  });
  await connection.newSession({ cwd });
  await connection.loadSession({
    sessionId: 's1',
    cwd,
    mcpServers: [{ type: 'stdio', ...mcp.stdio }, mcp.http, mcp.sse],
  });
  expect(sentSinceInitialize(agent).map(({ params }) => params?.['mcpServers'])).toEqual([
    [],
    [
      { ...mcp.stdio, args: [], env: [] },
      { ...mcp.http, headers: [] },
      { ...mcp.sse, headers: [] },
    ],
  ]);
});

test('[59] v1 updates before the answer to session/new are folded in order', async () => {
  const { session, agent, conversation } = await openSession('v1', {
    script: (agent) =>
      agent.on('session/new', (_params, agent, id) => {
        agent.update('s1', {
          sessionUpdate: 'available_commands_update',
          availableCommands: [{ name: 'a', description: '' }],
        });
        agent.update('s1', says('Welcome'));
        agent.answer(id, { sessionId: 's1' });
        agent.update('s1', says('!'));
        return new Promise(() => {});
      }),
  });
  await flush(agent);
  expect(session.sessionId).toBe('s1');
  expect(conversation().commands).toMatchObject([{ name: 'a' }]);
  expect(outline(conversation())).toEqual(['agent: Welcome!']);
});

test('[59] v1 a permission request before the answer to session/new waits for the session', async () => {
  const { agent } = await openSession('v1', {
    handlers: {
      requestPermission: ({ options }) => ({ outcome: 'selected', optionId: options[0]?.optionId ?? '' }),
    },
    script: (agent) =>
      agent.on('session/new', async (_params, agent, id) => {
        agent.request('session/request_permission', {
          sessionId: 's1',
          toolCall: { toolCallId: 't1' },
          options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
        });
        await settle();
        agent.answer(id, { sessionId: 's1' });
        return new Promise(() => {});
      }),
  });
  await flush(agent);
  expect(answers(agent)).toMatchObject([{ result: { outcome: { outcome: 'selected', optionId: 'yes' } } }]);
});

test('[60] v1 the replay is in the conversation when load resolves', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    script: (agent) =>
      agent.on('session/load', (_params, agent) => {
        agent.update('s1', repeats('Hello'), says('Good '), says('morning.'));
        return null;
      }),
  });
  const session = await connection.loadSession({ sessionId: 's1', cwd });
  const { entries } = session.conversation;
  expect(outline(session.conversation)).toEqual(['user: Hello', 'agent: Good morning.']);
  expect(entries.map(({ origin }) => origin)).toEqual(['replay', 'replay']);
  expect(agent.calls('session/load')).toHaveLength(1);
});

test.each([[null], [{}], [{ modes: null, configOptions: null }]])(
  '[70] v1 a load may be answered %j',
  async (answer) => {
    const { connection } = await connectTo(everything.v1, {
      answers: { 'session/load': answer },
    });
    const session = await connection.loadSession({ sessionId: 's1', cwd });
    expect(session.conversation).toMatchObject({ modes: null, configOptions: [] });
  },
);

test.each(['session/close', 'session/delete', 'the connection'] as const)(
  '[73] v1 ending %s first answers what the user was asked with cancelled',
  (way) => endsWhileTheUserIsAsked('v1', way),
);

test.each(['load', 'resume'] as const)(
  '[74] v1 a reconnect by %s keeps what was shown, and a replay only adds what is new',
  (call) => replaysAfterACrash('v1', call),
);
