import { describe, expect, test } from 'vitest';
import type { ConnectOptions } from '../../../src/client/connect.ts';
import { connect } from '../../../src/client/connect.ts';
import type { Diagnostic } from '../../../src/entries/index.ts';
import { type ScriptedAgent, scriptedAgent } from '../../../src/testing/scripted-agent.ts';
import { says, stateUpdate } from '../../support/updates.ts';

/** An agent of a schema that is newer than this library: what it has, no file of `src` names. */
const versions = {
  v1: {
    protocolVersion: 1,
    agentInfo: { name: 'tomorrow', version: '1.40' },
    agentCapabilities: {
      loadSession: true,
      sessionCapabilities: { budget: {}, close: {} },
      forecasts: true,
    },
  },
  v2: {
    protocolVersion: 2,
    info: { name: 'tomorrow', version: '1.40' },
    capabilities: { session: { budget: {} }, forecasts: true },
  },
} as const;

function agentOfTomorrow(version: keyof typeof versions): ScriptedAgent {
  const agent = scriptedAgent()
    .on('initialize', versions[version])
    .on('session/new', { sessionId: 's1', budgetId: 'b7' })
    .on('session/budget', { tokens: 12 })
    .on('forecast', { sky: 'clear' })
    .on('session/prompt', () => {
      agent.update(
        's1',
        { sessionUpdate: 'budget_update', tokens: 11 },
        { sessionUpdate: 'weather_update', sky: 'clear' },
        says('Done.', 'm1'),
        ...(version === 'v2' ? [stateUpdate('idle', { stopReason: 'end_turn' })] : []),
      );
      return version === 'v1' ? { stopReason: 'end_turn' } : { messageId: 'u1' };
    });
  return agent;
}

const clientInfo = { name: 'editor', version: '1.0.0' };

function open(agent: ScriptedAgent, options: Partial<ConnectOptions> = {}) {
  const diagnostics: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic) => diagnostics.push(diagnostic);
  return { diagnostics, connecting: connect(agent.transport, { clientInfo, onDiagnostic, ...options }) };
}

describe.each(['v1', 'v2'] as const)('an agent of a newer schema in %s', (version) => {
  test('is reached completely, and the transcript has only what the program asked for', async () => {
    const agent = agentOfTomorrow(version);
    const { diagnostics, connecting } = open(agent, {
      clientCapabilities: { session: { budgets: {} }, weather: { units: ['metric'] } },
      unknownUpdates: 'drop',
    });
    const connection = await connecting;
    const session = await connection.newSession({ cwd: '/p' }, { extraParams: { budget: { tokens: 100 } } });
    const seen: unknown[] = [];
    session.onUpdate((update) => {
      if (update.sessionUpdate === '_unknown') seen.push(update.update);
    });
    const budget = await connection.request(
      'session/budget',
      { sessionId: 's1' },
      { requires: 'session.budget' },
    );
    const forecast = await connection.request('forecast', {}, { requires: 'forecasts' });
    await session.prompt('Go');

    expect(budget).toEqual({ tokens: 12 });
    expect(forecast).toEqual({ sky: 'clear' });
    const created = await connection.request('session/new', { cwd: '/p', mcpServers: [] });
    expect(created).toMatchObject({ budgetId: 'b7' });
    expect(agent.calls('session/new')[0]?.params).toMatchObject({ cwd: '/p', budget: { tokens: 100 } });
    const [initialize] = agent.calls('initialize');
    for (const key of ['clientCapabilities', 'capabilities']) {
      expect(initialize?.params?.[key]).toMatchObject({
        session: { budgets: {} },
        weather: { units: ['metric'] },
      });
    }
    expect(seen).toEqual([
      { sessionUpdate: 'budget_update', tokens: 11 },
      { sessionUpdate: 'weather_update', sky: 'clear' },
    ]);
    expect(session.conversation.entries.map(({ kind }) => kind)).toEqual(['message', 'message']);
    const { message } = diagnostics.find(({ rule }) => rule === 'protocol.newer_capability') ?? {};
    expect(message).toContain('session.budgets and weather.units');
    await connection.close();
  });

  test('gets nothing that it did not advertise and the program did not name', async () => {
    const agent = agentOfTomorrow(version);
    const connection = await open(agent).connecting;
    const before = agent.received.length;
    await expect(connection.request('session/weather', { sessionId: 's1' })).rejects.toMatchObject({
      code: 'usage.capability',
      message: expect.stringContaining('requires'),
    });
    for (const requires of ['session.weather', 'session.budget.limits', 'weather', 'session.close.now']) {
      await expect(
        connection.request('session/weather', { sessionId: 's1' }, { requires }),
      ).rejects.toMatchObject({ code: 'usage.capability', missing: [{ feature: requires }] });
    }
    await expect(connection.request('initialize', {}, { requires: 'forecasts' })).rejects.toThrow('once');
    expect(agent.received.length).toBe(before);
    await connection.close();
  });

  test('keeps an update of an unknown kind as an entry, unless the program drops it', async () => {
    const connection = await open(agentOfTomorrow(version)).connecting;
    const session = await connection.newSession({ cwd: '/p' });
    await session.prompt('Go');
    expect(session.conversation.entries.map(({ kind }) => kind)).toEqual([
      'message',
      'unknown',
      'unknown',
      'message',
    ]);
    await connection.close();
  });
});

test('a call by its name checks the features that the library knows, too', async () => {
  const agent = agentOfTomorrow('v1').on('session/close', {});
  const connection = await open(agent).connecting;
  await connection.newSession({ cwd: '/p' });
  await expect(
    connection.request('session/close', { sessionId: 's1' }, { requires: 'session.fork' }),
  ).rejects.toMatchObject({ code: 'usage.capability', feature: 'session.fork' });
  expect(agent.calls('session/close')).toEqual([]);
  expect(
    await connection.request('session/close', { sessionId: 's1' }, { requires: 'session.close' }),
  ).toEqual({});
  await expect(
    connection.request('session/close', { sessionId: 's1' }, { requires: 'not a path' }),
  ).rejects.toThrow('must be a dotted path');
  await connection.close();
});

test.each([
  [{ cwd: '/q' }, 'cwd'],
  [{ mcpServers: [] }, 'mcpServers'],
  [{ additionalDirectories: ['/q'] }, 'additionalDirectories'],
  [{ _meta: {} }, '_meta'],
])('extraParams %j is refused: the library knows it', async (extraParams, name) => {
  const agent = agentOfTomorrow('v1');
  const connection = await open(agent).connecting;
  await expect(connection.newSession({ cwd: '/p' }, { extraParams })).rejects.toMatchObject({
    code: 'usage.params',
    message: expect.stringContaining(`extraParams has ${name}`),
  });
  expect(agent.calls('session/new')).toEqual([]);
  await connection.close();
});

test('extraParams are part of one call: a restart does not send them', async () => {
  const agents = [agentOfTomorrow('v1'), agentOfTomorrow('v1').on('session/load', {})];
  let started = 0;
  const next = () => {
    const agent = agents[started++];
    if (!agent) throw new Error('no more agents');
    return agent.transport;
  };
  const connection = await connect(next, {
    clientInfo,
    reconnect: { firstDelayMs: 1 },
    onDiagnostic: () => {},
  });
  await connection.newSession({ cwd: '/p' }, { extraParams: { budget: 1 } });
  agents[0]?.channel.end();
  await agents[1]?.called('session/load');
  expect(agents[1]?.calls('session/load')[0]?.params).not.toHaveProperty('budget');
  await connection.close();
});

test.each([
  [{ fs: { readTextFile: true } }, 'fs.readTextFile'],
  [{ terminal: true }, 'terminal'],
  [{ elicitation: { form: {} } }, 'elicitation.form'],
  [{ subagents: {} }, 'subagents'],
  [{ session: { notices: {} } }, 'session.notices'],
])('the capability %j is refused: the library advertises it itself', async (clientCapabilities, path) => {
  const agent = agentOfTomorrow('v1');
  await expect(open(agent, { clientCapabilities }).connecting).rejects.toMatchObject({
    code: 'usage.params',
    message: expect.stringContaining(`clientCapabilities.${path} `),
  });
  expect(agent.received).toEqual([]);
});

test('a member below an object that is advertised only with a handler is sent without it', async () => {
  const agent = agentOfTomorrow('v2');
  const connection = await open(agent, {
    protocolVersions: [2],
    clientCapabilities: JSON.parse('{"elicitation":{"voice":{}},"__proto__":{"x":1}}'),
  }).connecting;
  const capabilities = agent.calls('initialize')[0]?.params?.['capabilities'];
  expect(JSON.stringify(capabilities)).toBe('{"elicitation":{"voice":{}},"__proto__":{"x":1}}');
  await connection.close();
});
