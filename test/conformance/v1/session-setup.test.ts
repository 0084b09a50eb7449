import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { connectTo, everything } from '../../support/agents.ts';
import {
  connectFlushable,
  cwd,
  flush,
  openSession,
  sentSinceInitialize,
} from '../../support/open-session.ts';

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
