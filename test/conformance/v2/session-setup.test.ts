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
import { says, stateUpdate, userMessage } from '../../support/updates.ts';
import { endsWhileTheUserIsAsked, replaysAfterACrash } from '../dialects.ts';

const info = { name: 'scripted', version: '1.0.0' };
const session = (capabilities: JsonObject) => ({
  protocolVersion: 2,
  info,
  capabilities: { session: capabilities },
});

const mcp = {
  stdio: { type: 'stdio', name: 'files', command: '/usr/bin/mcp-files' },
  http: { type: 'http', name: 'web', url: 'https://example.com/mcp' },
  sse: { type: 'sse', name: 'old', url: 'https://example.com/sse' },
  own: { type: '_pipe', name: 'own', path: '/tmp/pipe' },
} as const;

test('[14,15,16] v2 the capability session includes resume, close and list', async () => {
  const { agent, connection } = await connectTo(session({}), {
    answers: { 'session/resume': {}, 'session/close': {}, 'session/list': { sessions: [] } },
  });
  await connection.listSessions().page();
  await (await connection.resumeSession({ sessionId: 's1', cwd })).close();
  expect(sentSinceInitialize(agent).map(({ method }) => method)).toEqual([
    'session/list',
    'session/resume',
    'session/close',
  ]);
});

test.each([undefined, null, true, false])(
  '[14,15,16,22] v2 no session method is sent where session is %j',
  async (marker) => {
    const { agent, connection } = await connectFlushable({
      protocolVersion: 2,
      info,
      capabilities: { ...(marker !== undefined && { session: marker }) },
    });
    const missing = [{ feature: 'session', path: 'capabilities.session', value: marker }];
    await expect(connection.newSession({ cwd })).rejects.toMatchObject({ code: 'usage.capability', missing });
    const methods = [
      'session/resume',
      'session/close',
      'session/list',
      'session/delete',
      'session/prompt',
      'session/set_config_option',
      'tool_call/cancel',
      'terminal/cancel',
    ];
    for (const method of methods) {
      await expect(connection.request(method, { sessionId: 's1' })).rejects.toMatchObject({
        code: 'usage.capability',
        method,
      });
    }
    await expect(connection.notify('session/cancel', { sessionId: 's1' })).rejects.toMatchObject({
      code: 'usage.capability',
      missing,
    });
    await expect(connection.loadSession({ sessionId: 's1', cwd })).rejects.toMatchObject({
      code: 'usage.capability',
      missing: [{ feature: 'session.load', value: marker }],
    });
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  },
);

test('[13] v2 loadSession sends session/resume with replayFrom', async () => {
  const { agent, connection } = await connectTo(session({}), {
    answers: { 'session/resume': {} },
  });
  await connection.loadSession({ sessionId: 's1', cwd });
  expect(sentSinceInitialize(agent)).toMatchObject([
    {
      method: 'session/resume',
      params: { sessionId: 's1', cwd, mcpServers: [], replayFrom: { type: 'start' } },
    },
  ]);
});

test('[18,30] v2 additionalDirectories needs its marker, and is sent whole each time', async () => {
  const { agent: poor, connection: refusing } = await connectFlushable(
    session({ additionalDirectories: null }),
  );
  await expect(refusing.newSession({ cwd, additionalDirectories: ['/other'] })).rejects.toMatchObject({
    code: 'usage.capability',
    feature: 'session.additionalDirectories',
  });
  await flush(poor);
  expect(sentSinceInitialize(poor)).toEqual([]);
  const { agent, connection } = await connectTo(session({ additionalDirectories: {} }), {
    answers: { 'session/new': { sessionId: 's1' }, 'session/resume': {} },
  });
  const additionalDirectories = ['/b', '/a'];
  await connection.newSession({ cwd, additionalDirectories });
  await connection.loadSession({ sessionId: 's1', cwd, additionalDirectories });
  await connection.resumeSession({ sessionId: 's1', cwd, additionalDirectories });
  await connection.resumeSession({ sessionId: 's1', cwd });
  expect(sentSinceInitialize(agent).map(({ params }) => params?.['additionalDirectories'])).toEqual([
    additionalDirectories,
    additionalDirectories,
    additionalDirectories,
    undefined,
  ]);
});

test.each(['stdio', 'http'] as const)('[19] v2 an MCP server over %s needs its marker', async (type) => {
  for (const marker of [undefined, null, true]) {
    const { agent, connection } = await connectFlushable(session({ mcp: { [type]: marker as never } }));
    await expect(connection.newSession({ cwd, mcpServers: [mcp[type]] })).rejects.toMatchObject({
      code: 'usage.capability',
      missing: [{ feature: `session.mcp.${type}`, path: `capabilities.session.mcp.${type}`, value: marker }],
    });
    await flush(agent);
    expect(sentSinceInitialize(agent)).toEqual([]);
  }
});

test('[19] v2 SSE is refused, whatever the agent advertises', async () => {
  const { agent, connection } = await connectFlushable(session({ mcp: { sse: {} } }));
  await expect(connection.newSession({ cwd, mcpServers: [mcp.sse] })).rejects.toMatchObject({
    code: 'usage.capability',
    feature: 'session.mcp.sse',
  });
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});

test('[19] v2 a custom transport begins with _ and is advertised by its name', async () => {
  const { agent: poor, connection: refusing } = await connectFlushable(session({}));
  await expect(refusing.newSession({ cwd, mcpServers: [mcp.own] })).rejects.toMatchObject({
    code: 'usage.capability',
    feature: 'session.mcp._pipe',
  });
  // Not ours to invent: without the underscore the name is the protocol's.
  const invented = { type: 'pipe', name: 'own' } as unknown as typeof mcp.own;
  await expect(refusing.newSession({ cwd, mcpServers: [invented] })).rejects.toMatchObject({
    code: 'usage.params',
    issues: [{ path: 'mcpServers.0.type' }],
  });
  await flush(poor);
  expect(sentSinceInitialize(poor)).toEqual([]);
  const { agent, connection } = await connectTo(session({ mcp: { _meta: { _pipe: {} } } }), {
    answers: { 'session/new': { sessionId: 's1' } },
  });
  await connection.newSession({ cwd, mcpServers: [mcp.own] });
  expect(agent.calls('session/new')[0]?.params?.['mcpServers']).toEqual([mcp.own]);
});

test.each([
  ['the working directory', { cwd: 'project' }, 'cwd'],
  ['an additional directory', { cwd, additionalDirectories: ['/a', './b'] }, 'additionalDirectories.1'],
  [
    'the command of an MCP server',
    { cwd, mcpServers: [{ name: 'x', command: 'npx' }] },
    'mcpServers.0.command',
  ],
])('[27] v2 %s must be absolute', async (_, params, path) => {
  const { agent, connection } = await connectFlushable(everything['v2-baseline']);
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

test('[28] v2 an empty root is refused, and duplicates and the working directory are left out', async () => {
  const { agent, connection } = await connectFlushable(everything['v2-baseline'], {
    answers: { 'session/new': { sessionId: 's1' } },
  });
  await expect(connection.newSession({ cwd, additionalDirectories: [''] })).rejects.toMatchObject({
    code: 'usage.params',
    issues: [{ path: 'additionalDirectories.0' }],
  });
  await connection.newSession({ cwd, additionalDirectories: ['/b', cwd, '/a', '/b'] });
  expect(sentSinceInitialize(agent).map(({ params }) => params?.['additionalDirectories'])).toEqual([
    ['/b', '/a'],
  ]);
});

test('[29] v2 every MCP server has its type', async () => {
  const { agent, connection } = await connectTo(everything['v2-baseline'], {
    answers: { 'session/new': { sessionId: 's1' } },
  });
  const { type: _, ...untyped } = mcp.stdio;
  await connection.newSession({ cwd, mcpServers: [untyped, mcp.http] });
  expect(agent.calls('session/new')[0]?.params?.['mcpServers']).toEqual([
    { ...mcp.stdio, args: [], env: [] },
    { ...mcp.http, headers: [] },
  ]);
});

test('[31] v2 resuming sends the working directory that the list names', async () => {
  const { agent, connection } = await connectTo(session({}), {
    answers: {
      'session/list': { sessions: [{ sessionId: 's7', cwd: 'C:\\elsewhere' }] },
      'session/resume': {},
    },
  });
  for await (const listed of connection.listSessions()) {
    await connection.resumeSession({ sessionId: listed.sessionId, cwd: listed.cwd });
  }
  expect(agent.calls('session/resume')[0]?.params).toEqual({
    sessionId: 's7',
    cwd: 'C:\\elsewhere',
    mcpServers: [],
  });
});

test('[59] v2 updates before the answer to session/new are folded in order, and the answer overwrites no state', async () => {
  const { agent, conversation } = await openSession('v2-baseline', {
    script: (agent) =>
      agent.on('session/new', (_params, agent, id) => {
        agent.update('s1', stateUpdate('running'), says('Welcome', 'm1'));
        agent.answer(id, { sessionId: 's1' });
        agent.update('s1', says('!', 'm1'));
        return new Promise(() => {});
      }),
  });
  await flush(agent);
  expect(conversation().activity.state).toBe('running');
  expect(outline(conversation())).toEqual(['agent: Welcome!']);
});

test('[59] v2 a permission request before the answer to session/new waits for the session', async () => {
  const { agent } = await openSession('v2-baseline', {
    handlers: {
      requestPermission: ({ options }) => ({ outcome: 'selected', optionId: options[0]?.optionId ?? '' }),
    },
    script: (agent) =>
      agent.on('session/new', async (_params, agent, id) => {
        agent.request('session/request_permission', {
          sessionId: 's1',
          title: 'May I?',
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

test('[60] v2 the replay and the state before the answer are in the conversation when load resolves', async () => {
  const { connection } = await connectTo(session({}), {
    script: (agent) =>
      agent.on('session/resume', (_params, agent) => {
        agent.update(
          's1',
          userMessage('u1', 'Hello'),
          // As the newest drafts ask: chunks of a replay come after an empty message.
          { sessionUpdate: 'agent_message', messageId: 'm1', content: [] },
          says('Good ', 'm1'),
          says('morning.', 'm1'),
          stateUpdate('requires_action'),
        );
        return {};
      }),
  });
  const loaded = await connection.loadSession({ sessionId: 's1', cwd });
  const conversation = loaded.conversation;
  expect(outline(conversation)).toEqual(['user: Hello', 'agent: Good morning.']);
  expect(conversation.entries.map(({ origin }) => origin)).toEqual(['replay', 'replay']);
  expect(conversation.activity.state).toBe('requires_action');
});

test('[65] v2 closing a session that the agent does not know succeeds', async () => {
  const { session: open } = await openSession('v2-baseline', {
    script: (agent) =>
      agent.on('session/close', async (_params, agent, id) => {
        agent.channel.send({
          jsonrpc: '2.0',
          id,
          error: { code: -32002, message: 'Resource not found', data: { sessionId: 's1' } },
        });
        return new Promise(() => {});
      }),
  });
  await open.close();
  expect(open.isClosed).toBe(true);
});

test.each([[null], [{}], [{ configOptions: null, availableCommands: null }]])(
  '[70] v2 a load may be answered %j',
  async (answer) => {
    const { connection } = await connectTo(session({}), {
      answers: { 'session/resume': answer },
    });
    const loaded = await connection.loadSession({ sessionId: 's1', cwd });
    expect(loaded.conversation).toMatchObject({ commands: [], configOptions: [] });
  },
);

test.each(['session/close', 'session/delete', 'the connection'] as const)(
  '[73] v2 ending %s first answers what the user was asked with cancelled',
  (way) => endsWhileTheUserIsAsked('v2-baseline', way),
);

test('[74] v2 a reconnect keeps what was shown, and a replay only adds what is new', () =>
  replaysAfterACrash('v2-baseline', 'resume'));
