import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { connectTo, text } from '../../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sentSinceInitialize,
} from '../../support/open-session.ts';
import { toolCallUpdate } from '../../support/updates.ts';
import { endsTurn, failsTurn, turnOrders } from '../dialects.ts';

const info = { name: 'scripted', version: '1.0.0' };

/** An agent of the earlier draft that advertises these, beside one marker that makes it one. */
function markers(capabilities: JsonObject): JsonObject {
  return { protocolVersion: 2, info, capabilities: { session: { close: null, ...capabilities } } };
}

const mcp = {
  stdio: { type: 'stdio', name: 'files', command: '/usr/bin/mcp-files' },
  http: { type: 'http', name: 'web', url: 'https://example.com/mcp' },
} as const;

test('[12,14,15,16,17] v2-markers load, resume, close, list and delete are sent where they are advertised', async () => {
  const { agent, connection } = await connectTo(
    markers({ load: {}, resume: {}, close: {}, list: {}, delete: {} }),
    {
      answers: {
        'session/load': {},
        'session/resume': {},
        'session/close': {},
        'session/list': { sessions: [] },
        'session/delete': {},
      },
    },
  );
  await connection.listSessions().page();
  await connection.loadSession({ sessionId: 's1', cwd });
  const session = await connection.resumeSession({ sessionId: 's1', cwd });
  await session.close();
  await connection.deleteSession('s1');
  expect(sentSinceInitialize(agent).map(({ method, params }) => [method, params])).toEqual([
    ['session/list', {}],
    ['session/load', { sessionId: 's1', cwd, mcpServers: [] }],
    ['session/resume', { sessionId: 's1', cwd, mcpServers: [] }],
    ['session/close', { sessionId: 's1' }],
    ['session/delete', { sessionId: 's1' }],
  ]);
});

test('[18] v2-markers the key additionalDirectories is sent only where it is advertised', async () => {
  const { agent: poor, connection: refusing } = await connectFlushable(markers({}));
  await expect(refusing.newSession({ cwd, additionalDirectories: ['/a'] })).rejects.toMatchObject({
    code: 'usage.capability',
    feature: 'session.additionalDirectories',
  });
  await flush(poor);
  expect(sentSinceInitialize(poor)).toEqual([]);
  const { agent, connection } = await connectTo(markers({ additionalDirectories: {}, load: {} }), {
    answers: { 'session/load': {} },
  });
  await connection.loadSession({ sessionId: 's1', cwd, additionalDirectories: ['/a'] });
  expect(agent.calls('session/load')[0]?.params?.['additionalDirectories']).toEqual(['/a']);
});

test.each(['stdio', 'http'] as const)(
  '[19] v2-markers an MCP server over %s needs its marker',
  async (type) => {
    for (const marker of [null, true]) {
      const { agent, connection } = await connectFlushable(markers({ mcp: { [type]: marker } }));
      await expect(connection.newSession({ cwd, mcpServers: [mcp[type]] })).rejects.toMatchObject({
        code: 'usage.capability',
        feature: `session.mcp.${type}`,
      });
      await flush(agent);
      expect(sentSinceInitialize(agent)).toEqual([]);
    }
    const { agent, connection } = await connectTo(markers({ mcp: { [type]: {} } }), {
      answers: { 'session/new': { sessionId: 's1' } },
    });
    await connection.newSession({ cwd, mcpServers: [mcp[type]] });
    expect(sentSinceInitialize(agent).map(({ params }) => params?.['mcpServers'])).toMatchObject([
      [mcp[type]],
    ]);
  },
);

test('[29] v2-markers mcpServers and the lists in it are sent even where they are empty, with types', async () => {
  const { agent, connection } = await connectTo(markers({ mcp: { stdio: {}, http: {} }, load: {} }), {
    answers: { 'session/new': { sessionId: 's1' }, 'session/load': null },
  });
  await connection.newSession({ cwd });
  await connection.loadSession({ sessionId: 's1', cwd, mcpServers: [mcp.stdio, mcp.http] });
  expect(sentSinceInitialize(agent).map(({ params }) => params?.['mcpServers'])).toEqual([
    [],
    [
      { ...mcp.stdio, args: [], env: [] },
      { ...mcp.http, headers: [] },
    ],
  ]);
});

test.each([
  ['image', { type: 'image', data: 'AA==', mimeType: 'image/png' }, 'image'],
  ['audio', { type: 'audio', data: 'AA==', mimeType: 'audio/wav' }, 'audio'],
  ['resource', { type: 'resource', resource: { uri: 'file:///a', text: 'a' } }, 'embeddedContext'],
] as const)('[20] v2-markers a prompt with a block of type %s needs its marker', async (_, block, marker) => {
  const initialize = markers({ prompt: { [marker]: true } });
  const { agent, session } = await openSession('v2-markers', { initialize });
  await expect(session.prompt([text('See:'), block])).rejects.toMatchObject({
    code: 'usage.capability',
    missing: [{ feature: `session.prompt.${marker}`, value: true }],
  });
  await flush(agent);
  expect(agent.calls('session/prompt')).toEqual([]);
});

test('[22] v2-markers without sessions no session method is sent', async () => {
  // Without `info` the answer is one of the earlier draft as well.
  const { agent, connection } = await connectFlushable({ protocolVersion: 2, capabilities: {} });
  expect(connection.dialect).toBe('v2-markers');
  await expect(connection.newSession({ cwd })).rejects.toMatchObject({
    code: 'usage.capability',
    feature: 'session',
  });
  await expect(connection.request('session/prompt', { sessionId: 's1' } as never)).rejects.toMatchObject({
    code: 'usage.capability',
  });
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});

test('[49,54] v2-markers fields of the draft are read', async () => {
  const { agent, conversation, diagnostics } = await openSession('v2-markers');
  agent.update(
    's1',
    {
      sessionUpdate: 'plan_update',
      plan: { type: 'items', id: 'p1', entries: [{ content: 'Look', priority: 'high', status: 'pending' }] },
    },
    {
      sessionUpdate: 'config_option_update',
      configOptions: [
        {
          id: 'model',
          name: 'Model',
          type: 'select',
          currentValue: 'a',
          options: [{ value: 'a', name: 'A' }],
        },
      ],
    },
    toolCallUpdate({ content: [{ type: 'diff', path: '/a', oldText: null, newText: 'x' }] }),
  );
  await flush(agent);
  expect(conversation()).toMatchObject({
    plans: [{ planId: 'p1', entries: [{ content: 'Look' }] }],
    configOptions: [{ configId: 'model' }],
    entries: [{ content: [{ type: 'diff', changes: [{ operation: 'add', path: '/a', newText: 'x' }] }] }],
  });
  expect(diagnostics).toEqual([]);
});

test.each([
  [-32603, { code: 'remote' }],
  [-32000, { code: 'remote.auth_required' }],
])('[71] v2-markers a turn that fails with %i rejects, and the prompt is not sent again', (code, expected) =>
  failsTurn('v2-markers', code, expected),
);

test.each(turnOrders)('[72] v2-markers the idle state ends the turn: %s', (_, order) =>
  endsTurn('v2-markers', order),
);
