import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import { connectTo, everything, refuses } from '../../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sentSinceInitialize,
} from '../../support/open-session.ts';

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

test('[14,15,16,22] v2 no session method is sent without session', async () => {
  const { agent, connection } = await connectFlushable({ protocolVersion: 2, info, capabilities: {} });
  const refused = {
    code: 'usage.capability',
    missing: [{ feature: 'session', path: 'capabilities.session' }],
  };
  await expect(connection.newSession({ cwd })).rejects.toMatchObject(refused);
  await expect(connection.notify('session/cancel', { sessionId: 's1' })).rejects.toMatchObject(refused);
  await flush(agent);
  expect(sentSinceInitialize(agent)).toEqual([]);
});

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

test('[65] v2 closing a session that the agent does not know succeeds', async () => {
  const { session: open } = await openSession('v2-baseline', {
    answers: { 'session/close': refuses(-32002, 'Resource not found', { sessionId: 's1' }) },
  });
  await open.close();
  expect(open.isClosed).toBe(true);
});
