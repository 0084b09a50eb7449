import { expect, test } from 'vitest';
import { connectTo, everything } from '../../support/agents.ts';
import { connectFlushable, cwd, flush, sentSinceInitialize } from '../../support/open-session.ts';

const mcp = {
  stdio: { name: 'files', command: '/usr/bin/mcp-files' },
  http: { type: 'http', name: 'web', url: 'https://example.com/mcp' },
  sse: { type: 'sse', name: 'old', url: 'https://example.com/sse' },
} as const;

test('[11] v1 session/load is sent where loadSession is true', async () => {
  const { agent, connection } = await connectTo(everything.v1, {
    answers: { 'session/load': {} },
  });
  await connection.loadSession({ sessionId: 's1', cwd });
  expect(agent.calls('session/load')).toHaveLength(1);
});

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
