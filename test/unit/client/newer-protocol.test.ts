import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../../../src/core/client/calls/call-options.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo } from '../../support/agents.ts';
import { connectRestarting, crash } from '../../support/restarting-agent.ts';
import { says, stateUpdate } from '../../support/updates.ts';

/** An agent of a schema that is newer than this library: what it has, no file of `src` names. */
const versions = {
  v1: {
    protocolVersion: 1,
    agentInfo: { name: 'tomorrow', version: '1.40' },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { video: true },
      mcpCapabilities: { quic: {} },
      sessionCapabilities: { budget: {}, close: {}, fork: {} },
      forecasts: true,
    },
  },
  v2: {
    protocolVersion: 2,
    info: { name: 'tomorrow', version: '1.40' },
    capabilities: {
      session: { budget: {}, fork: {}, prompt: { video: {} }, mcp: { stdio: {}, quic: {} } },
      forecasts: true,
    },
  },
} as const;

const script = (version: keyof typeof versions) => (agent: ScriptedAgent) =>
  agent
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

const open = (version: keyof typeof versions, options: Partial<ConnectOptions> = {}) =>
  connectTo(versions[version], { script: script(version), ...options });

describe.each(['v1', 'v2'] as const)('an agent of a newer schema in %s', (version) => {
  test('is reached completely, and the transcript has only what the program asked for', async () => {
    const { agent, connection, diagnostics } = await open(version, {
      clientCapabilities: { session: { budgets: {} }, weather: { units: ['metric'] } },
      unknownUpdates: 'drop',
    });
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
  });

  test('gets nothing that it did not advertise and the program did not name', async () => {
    const { agent, connection } = await open(version);
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
  });

  const video = { type: 'video', url: 'https://example.com/a.webm' };
  const quic = { type: 'quic', name: 'q', port: 443 };
  const text = { type: 'text', text: 'x' };
  const image = { type: 'image', data: 'AA==', mimeType: 'image/png' };
  const stdio = { type: 'stdio', name: 's', command: '/bin/s', args: [], env: [] };
  // TypeScript does not accept values of other types.
  const values = {
    'prompt of a session': (session, options, blocks = [text, video]) =>
      session.prompt(blocks as never, options).accepted,
    'queue of a session': (session, options, blocks = [text, video]) =>
      session.queue(blocks as never, options).accepted,
    'a prompt by its name': (_, options, prompt = [text, video], connection) =>
      connection.request('session/prompt', { sessionId: 's1', prompt } as never, options),
    'an MCP server': (_, options, mcpServers = [stdio, quic], connection) =>
      connection.newSession({ cwd: '/p', mcpServers: mcpServers as never }, options),
    'an MCP server of a copy': (_, options, mcpServers = [quic], connection) =>
      connection.forkSession({ sessionId: 's1', cwd: '/p', mcpServers: mcpServers as never }, options),
  } satisfies Record<
    string,
    (
      session: Session,
      options: CallOptions,
      values: unknown[] | undefined,
      connection: ClientConnection,
    ) => unknown
  >;

  test.each(Object.keys(values) as (keyof typeof values)[])(
    '%s can have a newer type if the call requires the capability for it',
    async (name) => {
      const { agent, connection } = await open(version);
      agent.on('session/fork', { sessionId: 's2' });
      const session = await connection.newSession({ cwd: '/p' });
      const isPrompt = name.includes('prompt') || name.includes('queue');
      const [requires, newer] = isPrompt ? ['session.prompt.video', video] : ['session.mcp.quic', quic];
      const call = async (options: CallOptions, given?: unknown[]) =>
        values[name](session, options, given, connection);
      const before = agent.received.length;
      for (const options of [{}, { allowUnsupported: true }]) {
        await expect(call(options)).rejects.toMatchObject({ code: 'usage.params' });
      }
      for (const missing of ['session.prompt.smell', [requires, 'session.weather']]) {
        await expect(call({ requires: missing })).rejects.toMatchObject({ code: 'usage.capability' });
      }
      for (const wrong of ['a b', [''], [7]]) {
        await expect(call({ requires: wrong as never })).rejects.toThrow('requires must be a dotted path');
      }
      // What is known is checked as without it.
      const known: readonly (readonly [unknown, string])[] = isPrompt
        ? [
            [{ type: 'text' }, 'usage.params'],
            [{ type: 7 }, 'usage.params'],
            [{}, 'usage.params'],
            [image, 'usage.capability'],
            [{ ...image, data: 'data:image/png;base64,AA==' }, 'usage.params'],
          ]
        : [
            [{ ...stdio, command: 'relative' }, 'usage.params'],
            [{ type: 7, name: 's' }, 'usage.params'],
            [{ type: 'http', name: 's', url: 'https://example.com', headers: [] }, 'usage.capability'],
          ];
      for (const [value, code] of known) {
        await expect(call({ requires }, [newer, value])).rejects.toMatchObject({ code });
      }
      expect(agent.received.length).toBe(before);
      await call({ requires: [requires, 'session.budget'] });
      const { params } = agent.received.at(-1) ?? {};
      expect(params?.[isPrompt ? 'prompt' : 'mcpServers']).toContainEqual(newer);
    },
  );

  test('keeps an update of an unknown kind as an entry, unless the program drops it', async () => {
    const { connection } = await open(version);
    const session = await connection.newSession({ cwd: '/p' });
    await session.prompt('Go');
    expect(session.conversation.entries.map(({ kind }) => kind)).toEqual([
      'message',
      'unknown',
      'unknown',
      'message',
    ]);
  });
});

test('a call by its name checks the features that the library knows, too', async () => {
  const { agent, connection } = await open('v1');
  agent.on('session/close', {});
  await connection.newSession({ cwd: '/p' });
  await expect(
    connection.request('session/close', { sessionId: 's1' }, { requires: 'session.options' }),
  ).rejects.toMatchObject({ code: 'usage.capability', feature: 'session.options' });
  expect(agent.calls('session/close')).toEqual([]);
  expect(
    await connection.request('session/close', { sessionId: 's1' }, { requires: 'session.close' }),
  ).toEqual({});
  await expect(
    connection.request('session/close', { sessionId: 's1' }, { requires: 'not a path' }),
  ).rejects.toThrow('must be a dotted path');
});

test.each([
  [{ cwd: '/q' }, 'cwd'],
  [{ mcpServers: [] }, 'mcpServers'],
  [{ additionalDirectories: ['/q'] }, 'additionalDirectories'],
  [{ _meta: {} }, '_meta'],
])('extraParams %j is refused: the library knows it', async (extraParams, name) => {
  const { agent, connection } = await open('v1');
  await expect(connection.newSession({ cwd: '/p' }, { extraParams })).rejects.toMatchObject({
    code: 'usage.params',
    message: expect.stringContaining(`extraParams has ${name}`),
  });
  expect(agent.calls('session/new')).toEqual([]);
});

test('a restart opens a session again with its MCP server of a newer type, and without extraParams, which are part of one call', async () => {
  const restarting = await connectRestarting((agent) =>
    agent.on('initialize', versions.v1).on('session/load', {}),
  );
  const mcpServers = [{ type: 'quic', name: 'q' }];
  await restarting.connection.newSession(
    { cwd: '/p', mcpServers: mcpServers as never },
    { requires: 'session.mcp.quic', extraParams: { budget: 1 } },
  );
  await crash(restarting);
  const { params } = restarting.agents[1]?.calls('session/load')[0] ?? {};
  expect(params).toMatchObject({ mcpServers });
  expect(params).not.toHaveProperty('budget');
});

test.each([
  [{ fs: { readTextFile: true } }, 'fs.readTextFile'],
  [{ terminal: true }, 'terminal'],
  [{ elicitation: { form: {} } }, 'elicitation.form'],
  [{ subagents: {} }, 'subagents'],
  [{ session: { notices: {} } }, 'session.notices'],
])('the capability %j is refused: the library advertises it itself', async (clientCapabilities, path) => {
  const agents: ScriptedAgent[] = [];
  const script = (agent: ScriptedAgent) => agents.push(agent);
  await expect(connectTo(versions.v1, { script, clientCapabilities })).rejects.toMatchObject({
    code: 'usage.params',
    message: expect.stringContaining(`clientCapabilities.${path} `),
  });
  expect(agents.map(({ received }) => received)).toEqual([[]]);
});

test('a member below an object that is advertised only with a handler is sent without it', async () => {
  const { agent } = await open('v2', {
    protocolVersions: [2],
    clientCapabilities: JSON.parse('{"elicitation":{"voice":{}},"__proto__":{"x":1}}'),
  });
  const capabilities = agent.calls('initialize')[0]?.params?.['capabilities'];
  expect(JSON.stringify(capabilities)).toBe('{"elicitation":{"voice":{}},"__proto__":{"x":1}}');
});
