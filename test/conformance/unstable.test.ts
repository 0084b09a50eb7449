import { describe, expect, test } from 'vitest';
import type { ClientConnection } from '../../src/core/client/connection.ts';
import { everything } from '../support/agents.ts';
import { connectFlushable, cwd, flush, sentSinceInitialize } from '../support/open-session.ts';

const acpServer = { type: 'acp', name: 'own', serverId: 'x' } as const;

/** What is not stable: how it is called, the feature it needs, what is sent, and an answer to it. */
const calls: readonly {
  readonly feature: string;
  readonly call: (connection: ClientConnection) => Promise<unknown>;
  readonly sent: object;
  readonly answer: object;
}[] = [
  {
    feature: 'session.fork',
    call: (connection) => connection.forkSession({ sessionId: 's1', cwd }),
    sent: { method: 'session/fork', params: { sessionId: 's1', cwd, mcpServers: [] } },
    answer: { sessionId: 's2' },
  },
  {
    feature: 'session.options',
    call: (connection) => connection.sessionOptions({ cwd, sessionId: 's1' }),
    sent: { method: 'session/options', params: { cwd, sessionId: 's1' } },
    answer: {},
  },
  {
    feature: 'session.options',
    call: (connection) => connection.newSession({ cwd, configOptions: [{ configId: 'fast', value: true }] }),
    sent: {
      method: 'session/new',
      params: { configOptions: [{ configId: 'fast', type: 'boolean', value: true }] },
    },
    answer: { sessionId: 's6' },
  },
  {
    feature: 'session.archive',
    call: (connection) => connection.listSessions({ archived: 'only' }).page(),
    sent: { method: 'session/list', params: { archived: 'only' } },
    answer: { sessions: [] },
  },
  {
    feature: 'session.mcp.acp',
    call: (connection) => connection.newSession({ cwd, mcpServers: [acpServer] }),
    sent: { method: 'session/new', params: { mcpServers: [acpServer] } },
    answer: { sessionId: 's5' },
  },
];

/** What an agent answers `initialize` with that supports none of these calls, and one that supports all. */
const versions = [
  {
    dialect: 'v1',
    poor: {
      protocolVersion: 1,
      agentCapabilities: { sessionCapabilities: { list: {} }, auth: {}, mcpCapabilities: { acp: false } },
    },
    rich: everything.v1,
  },
  {
    dialect: 'v2-baseline',
    poor: {
      protocolVersion: 2,
      info: { name: 'scripted', version: '1' },
      capabilities: { session: { mcp: { acp: null } }, auth: {} },
    },
    rich: everything['v2-baseline'],
  },
];

describe.each(versions)('$dialect', ({ poor, rich }) => {
  test.each(calls)('[25] v1, v2 $sent.method needs $feature', async ({ feature, call, sent, answer }) => {
    const { agent: refusing, connection: refused } = await connectFlushable(poor);
    const error = await call(refused).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: 'usage.capability' });
    expect(
      (error as { missing: readonly { feature: string }[] }).missing.map((each) => each.feature),
    ).toContain(feature);
    await flush(refusing);
    expect(sentSinceInitialize(refusing)).toEqual([]);
    const { agent, connection } = await connectFlushable(rich, {
      answers: { [(sent as { method: string }).method]: answer as never },
    });
    await call(connection);
    expect(sentSinceInitialize(agent)).toMatchObject([sent]);
  });
});
