import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/core/base/diagnostic.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { ConnectOptions } from '../../../src/core/client/connect.ts';
import { RequestError } from '../../../src/core/rpc/request-error.ts';
import { noAnswer, type ScriptedAgent } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, everything, nothing } from '../../support/agents.ts';
import { cwd } from '../../support/open-session.ts';

test('a feature that has no such name is not supported, and a diagnostic says so', async () => {
  const { connection, diagnostics } = await connectTo(everything.v1);
  // In JavaScript any value can be passed.
  const supports = (name: unknown) => connection.supports(name as 'session.load');
  expect([supports('session.load'), supports('session.mcp._own'), supports('session.inject')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(diagnostics).toEqual([]);
  expect(supports('session.lod')).toBe(false);
  expect(supports(undefined)).toBe(false);
  expect(diagnostics.map(({ rule }) => rule)).toEqual(['client.unknown_feature', 'client.unknown_feature']);
  expect(diagnostics[0]?.message).toMatch(
    /^There is no feature named "session.lod". There are session, session.load, /,
  );
});

describe('agents that answer initialize in their own way', () => {
  const body = { agentCapabilities: { loadSession: true, sessionCapabilities: { list: {} } } };

  test('[agents: number-without-body] the offered version is echoed, and the body is that of version 1', async () => {
    const { agent, connection, diagnostics } = await connectTo(
      { ...body, protocolVersion: 2 },
      { answers: { 'session/new': { sessionId: 's1' } } },
    );
    expect(connection.protocolVersion).toBe(1);
    expect(connection.supports('session.load')).toBe(true);
    expect(connection.supports('session.close')).toBe(false);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['protocol.dialect']);
    await connection.newSession({ cwd });
    // Version 1 requires the list of servers. In version 2 it is optional.
    expect(agent.calls('session/new')[0]?.params).toEqual({ cwd, mcpServers: [] });
  });

  test('a program that sends back what it receives is not an ACP agent', async () => {
    const echo = connectTo(nothing.v1, {
      script: (agent) =>
        agent.on('initialize', (params) => {
          agent.request('initialize', params);
          return noAnswer;
        }),
    });
    await expect(echo).rejects.toThrow('The program is not an ACP agent: it sends back what it receives.');
  });

  /** An agent that refuses these versions, and names these as supported. */
  const refusing = (refused: readonly number[], supported: readonly number[]) => (agent: ScriptedAgent) =>
    agent
      .on('initialize', ({ protocolVersion }) => {
        if (!refused.includes(Number(protocolVersion))) return { ...body, protocolVersion };
        const data = { requested: protocolVersion ?? null, supported: [...supported] };
        throw new RequestError(-32022, 'Unsupported protocol version', data);
      })
      .on('session/new', { sessionId: 's1' });

  test.each([
    [-32022, { requested: 2, supported: [1] }],
    [-32602, undefined],
    [-32602, { issues: [{ path: ['protocolVersion'] }] }],
    [-32022, undefined],
    [-32022, { requested: 2 }],
  ])('an agent that refuses version 2 with %i and %o is asked again for version 1', async (code, data) => {
    const script = (agent: ScriptedAgent) =>
      agent.on('initialize', ({ protocolVersion }) => {
        if (protocolVersion === 1) return { ...body, protocolVersion };
        throw new RequestError(code, 'Invalid params', data);
      });
    const { agent, connection, diagnostics } = await connectTo({}, { script });
    expect(connection.protocolVersion).toBe(1);
    expect(connection.supports('session.load')).toBe(true);
    const offers = agent.calls('initialize').map(({ params }) => params);
    expect(offers.map((params) => params?.['protocolVersion'])).toEqual([2, 1]);
    expect(offers[1]).not.toHaveProperty('capabilities');
    expect(diagnostics).toMatchObject([{ rule: 'protocol.dialect', severity: 'warning' }]);
    const isNamed = data !== undefined && 'supported' in data;
    expect(diagnostics[0]?.message.includes('without naming the versions')).toBe(!isNamed);
  });

  test('an agent that refuses the offer of a login in a terminal is asked once more without it', async () => {
    const script = (agent: ScriptedAgent) =>
      agent.on('initialize', (params) => {
        if (JSON.stringify(params).includes('terminal-auth'))
          throw new RequestError(-32603, 'Internal error');
        return { ...body, protocolVersion: 1 };
      });
    const { agent, diagnostics } = await connectTo({}, { script, terminalLogin: true });
    const [first, second, ...more] = agent.calls('initialize').map(({ params }) => params);
    const without = { clientCapabilities: { _meta: { terminal_output: true } } };
    expect(first).toMatchObject({ clientCapabilities: { auth: { terminal: true } } });
    expect(second).toMatchObject(without);
    expect(JSON.stringify(second)).not.toMatch(/auth/);
    expect(more).toEqual([]);
    expect(diagnostics).toMatchObject([
      {
        rule: 'protocol.offer_refused',
        message: expect.stringMatching(/login in a terminal.*asked again.*Internal error/),
      },
    ]);
  });

  test.each([
    ['for another reason, and a login is offered', -32603, true, 2],
    ['for another reason', -32603, false, 1],
    ['as wrong parameters, in each version', -32602, undefined, 2],
  ])('an agent that refuses initialize %s: with %i, %j, it is asked %i times', async (...row) => {
    const [, code, terminalLogin, times] = row;
    let asked = 0;
    const script = (agent: ScriptedAgent) =>
      agent.on('initialize', () => {
        asked++;
        throw new RequestError(code, 'Out of tea');
      });
    await expect(connectTo({}, { script, terminalLogin })).rejects.toMatchObject({ rpcCode: code });
    expect(asked).toBe(times);
  });

  test.each<[string, readonly number[], readonly number[], Partial<ConnectOptions>, number]>([
    ['refuses it after it was asked again', [2, 1], [1], {}, 2],
    ['refuses the only version that was offered', [1], [1], { protocolVersions: [1] }, 1],
    ['refuses the newest version', [2], [2], {}, 1],
    ['refuses a version that is not of the chosen dialect', [2], [1], { dialect: 'v2-baseline' }, 1],
  ])('an agent that names a version in its error, and %s, contradicts itself', async (...row) => {
    const [, refused, supported, options, asked] = row;
    let agent: ScriptedAgent | undefined;
    const script = (scripted: ScriptedAgent) => {
      agent = refusing(refused, supported)(scripted);
    };
    const { protocolVersions: offered = [2, 1] } = options;
    await expect(connectTo({}, { ...options, script })).rejects.toMatchObject({
      code: 'protocol.version',
      offered,
      supported,
      message: expect.stringContaining(
        `The agent contradicts itself: it names protocol version ${supported[0]}, which was offered`,
      ),
    });
    expect(agent?.calls('initialize')).toHaveLength(asked);
  });

  test('unknown fields of the result stay in initializeResult', async () => {
    const result = {
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, auth: null, _meta: { promptQueueing: true }, steering: [] },
      authMethods: [{ id: 'login', name: 'Log in', _meta: { 'terminal-auth': { command: 'agent' } } }],
      models: ['a'],
    };
    const { connection, diagnostics } = await connectTo(result);
    expect(connection.initializeResult).toEqual(result);
    expect(connection.authMethods).toMatchObject([{ methodId: 'login', type: 'terminal', command: 'agent' }]);
    expect(diagnostics).toEqual([]);
  });

  const reported = async (result: JsonObject, options: Partial<ConnectOptions> = {}) => {
    const diagnostics: Diagnostic[] = [];
    await connectTo(result, { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic), ...options });
    return diagnostics;
  };

  test('the earlier draft of version 2 is reported with the reason', async () => {
    const message = expect.stringContaining('capabilities.session has load');
    expect(await reported(everything['v2-markers'])).toMatchObject([
      { rule: 'protocol.dialect_assumed', severity: 'info', message },
    ]);
  });

  test('a dialect is not reported that follows from the answer, or that the caller chose', async () => {
    expect(await reported(everything['v2-baseline'])).toEqual([]);
    expect(await reported(everything['v2-markers'], { dialect: 'v2-markers' })).toEqual([]);
  });
});
