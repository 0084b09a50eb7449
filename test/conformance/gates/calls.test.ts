import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { CallOptions } from '../../../src/core/client/calls/call-options.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { Session } from '../../../src/core/client/session/session.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { type Feature, featureNames } from '../../../src/core/protocol/feature.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { connectTo, dialectNames, everything, nothing } from '../../support/agents.ts';
import { cwd, deliver, flush, sent, sentSinceInitialize } from '../../support/open-session.ts';
import { someOf } from '../../support/runs.ts';
import { type AnyFeature, agentsWithout, capabilities, capabilityOf, connectIn } from './capabilities.ts';
import {
  availableCommands,
  type Gate,
  methods,
  parameterOf,
  permittedForSubagents,
  sampleOf,
} from './table.ts';

/** The parameters of a row, which are the same on the wire and in a typed call. */
// biome-ignore lint/suspicious/noExplicitAny: each call has its own type, and the row has JSON.
type Extra = any;

type OfConnection = (connection: ClientConnection, extra: Extra, options: CallOptions) => Promise<unknown>;
type OfSession = (session: Session, extra: Extra, options: CallOptions) => Promise<unknown>;

const opened = { sessionId: 's1', cwd };

/** The typed calls of a connection. */
const ofConnection: Readonly<Record<string, OfConnection>> = {
  newSession: (connection, extra, options) => connection.newSession({ cwd, ...extra }, options),
  loadSession: (connection, extra, options) => connection.loadSession({ ...opened, ...extra }, options),
  resumeSession: (connection, extra, options) => connection.resumeSession({ ...opened, ...extra }, options),
  forkSession: (connection, extra, options) => connection.forkSession({ ...opened, ...extra }, options),
  sessionOptions: (connection, extra, options) => connection.sessionOptions({ cwd, ...extra }, options),
  listSessions: (connection, extra, options) => connection.listSessions(extra, options).page(),
  deleteSession: (connection, _, options) => connection.deleteSession('s1', options),
  login: (connection, _, options) => connection.login('key', options),
  logout: (connection, _, options) => connection.logout(options),
};

/** The typed calls of a session. */
const ofSession: Readonly<Record<string, OfSession>> = {
  close: (session, _, options) => session.close(options),
  prompt: (session, { prompt = 'Hello' }, options) =>
    session.prompt(prompt, { ...options, idempotencyKey: 'k1' }).accepted,
  cancel: (session, _, options) => session.cancel(options),
  setMode: (session, _, options) => session.setMode('code', options),
  setConfigOption: (session, _, options) => session.setConfigOption('model', 'small', options),
  cancelToolCall: (session, _, options) => session.cancelToolCall('t1', options),
  cancelTerminal: (session, _, options) => session.cancelTerminal('x', options),
};

interface TypedCall {
  readonly method: string;
  readonly gate: Gate;
  /** What the call sends besides its parameters. */
  readonly adds?: JsonObject;
}

const methodOf = {
  newSession: 'session/new',
  loadSession: 'session/load',
  resumeSession: 'session/resume',
  forkSession: 'session/fork',
  sessionOptions: 'session/options',
  listSessions: 'session/list',
  deleteSession: 'session/delete',
  close: 'session/close',
  prompt: 'session/prompt',
  cancel: 'session/cancel',
  setMode: 'session/set_mode',
  setConfigOption: 'session/set_config_option',
  cancelToolCall: 'tool_call/cancel',
  cancelTerminal: 'terminal/cancel',
} as const;

const version1 = { ...methodOf, login: 'authenticate', logout: 'logout' };
const version2 = { ...methodOf, login: 'auth/login', logout: 'auth/logout' };

/** Calls that a dialect does not have, with the method that the error names. */
const missingCalls: Readonly<Record<DialectName, Readonly<Record<string, string>>>> = {
  v1: { cancelToolCall: 'tool_call/cancel', cancelTerminal: 'terminal/cancel' },
  'v2-markers': { setMode: 'session/set_mode' },
  'v2-baseline': { setMode: 'session/set_mode' },
};

/** The method and the gate of a typed call; `undefined` where the dialect does not have the call. */
function typedCall(dialect: DialectName, name: string): TypedCall | undefined {
  if (Object.hasOwn(missingCalls[dialect], name)) return undefined;
  if (dialect === 'v2-baseline' && name === 'loadSession') {
    // Version 2 loads a session by resuming it with a replay.
    const { replayFrom: _, ...parameters } = methods[dialect]['session/resume']?.parameters ?? {};
    return {
      method: 'session/resume',
      gate: { requires: 'session.load', parameters },
      adds: { replayFrom: { type: 'start' } },
    };
  }
  const method = (dialect === 'v1' ? version1 : version2)[name as keyof typeof version1];
  const gate = methods[dialect][method];
  if (!gate) throw new Error(`The table has no ${method} in ${dialect}.`);
  // Resuming without a replay is a call of its own.
  const { replayFrom: _, ...parameters } = gate.parameters;
  const adds = dialect !== 'v1' && name === 'prompt' ? { idempotencyKey: 'k1' } : {};
  return { method, gate: { ...gate, parameters }, adds };
}

interface Row {
  readonly name: string;
  readonly method: string;
  readonly feature: AnyFeature;
  /** The row as the title of its test shows it. */
  readonly call: string;
  /** What the call is given beyond the least that it takes. */
  readonly extra: JsonObject;
  /** What is sent. */
  readonly params: JsonObject;
}

/** Each typed call, and each of its parameters that needs a feature. */
function rowsOf(dialect: DialectName, names: readonly string[]): readonly Row[] {
  return names.flatMap((name) => {
    const typed = typedCall(dialect, name);
    if (!typed) return [];
    const { method, gate, adds = {} } = typed;
    const params = { ...sampleOf(dialect, method).params, ...adds };
    // A typed call does not send an empty list of directories, so it needs no feature.
    const parameters = Object.entries(gate.parameters).filter(
      ([parameter]) => parameter !== 'additionalDirectories: []',
    );
    return [
      { name, method, feature: gate.requires, call: name, extra: {}, params },
      ...parameters.map(([parameter, feature]) => {
        const extra = parameterOf(dialect, parameter);
        return {
          name,
          method,
          feature,
          call: `${name} with ${parameter}`,
          extra,
          params: { ...params, ...extra },
        };
      }),
    ];
  });
}

describe.each(dialectNames)('typed calls in %s', (dialect) => {
  const isPossible = ({ feature }: Row) => capabilityOf(dialect, feature).kind !== 'never';
  const ofConnectionRows = rowsOf(dialect, Object.keys(ofConnection));
  const ofSessionRows = rowsOf(dialect, Object.keys(ofSession));

  test.each(ofConnectionRows)(
    '[11,12,14,16,17,18,19,21,22,25,80] v1, v2, v2-markers $call is refused without $feature, and nothing is sent',
    async (row) => {
      for (const { initialize, path, value } of agentsWithout(dialect, row.feature)) {
        const { agent, connection } = await connectIn(dialect, initialize);
        const error = await ofConnection[row.name]?.(connection, row.extra, {}).catch(
          (failure: unknown) => failure,
        );
        expect(error).toMatchObject({ code: 'usage.capability', method: row.method });
        const { missing } = error as { readonly missing: readonly object[] };
        expect(missing).toContainEqual(
          expect.objectContaining({ feature: row.feature, path, value } as object),
        );
        expect(connection.sessions).toEqual([]);
        await flush(agent);
        expect(sentSinceInitialize(agent)).toEqual([]);
      }
    },
  );

  test.each(ofConnectionRows.filter(isPossible))(
    '[13,29,31] v1, v2, v2-markers $call is sent with $feature',
    async (row) => {
      const { agent, connection } = await connectIn(dialect, everything[dialect], {
        script: (agent) => agent.on(row.method, sampleOf(dialect, row.method).result ?? {}),
      });
      await ofConnection[row.name]?.(connection, row.extra, {});
      expect(sentSinceInitialize(agent).map(({ method, params }) => [method, params])).toEqual([
        [row.method, row.params],
      ]);
    },
  );

  test.each(ofConnectionRows.filter(({ name, call }) => name === call))(
    '$call is sent without $feature if the call has allowUnsupported, and -32601 is a MethodNotFoundError',
    async ({ name, method, feature }) => {
      for (const { initialize } of someOf(agentsWithout(dialect, feature))) {
        const { agent, connection } = await connectIn(dialect, initialize);
        const error = await ofConnection[name]?.(connection, {}, { allowUnsupported: true }).catch(
          (failure: unknown) => failure,
        );
        expect(error).toMatchObject({ code: 'remote.method_not_found', rpcCode: -32601, method, feature });
        expect((error as Error).message).not.toContain('although it advertised it');
        expect(agent.calls(method)).toHaveLength(1);
      }
    },
  );

  test.each(ofSessionRows)(
    '[15,20] v1, v2, v2-markers $call of a session is refused without $feature, and nothing is sent',
    async (row) => {
      for (const { initialize, path, value } of agentsWithout(dialect, row.feature)) {
        const { agent, connection } = await connectIn(dialect, initialize, {
          script: (agent) => agent.on('session/new', { sessionId: 's1' }),
        });
        const session = await connection.newSession({ cwd }, { allowUnsupported: true });
        await expect(ofSession[row.name]?.(session, row.extra, {})).rejects.toMatchObject({
          code: 'usage.capability',
          method: row.method,
          missing: [{ feature: row.feature, path, value }],
        });
        await flush(agent);
        expect(sent(agent)).toEqual([]);
        expect(session.conversation.entries).toEqual([]);
        expect(session.isClosed).toBe(false);
      }
    },
  );

  test.each(ofSessionRows.filter(isPossible))('$call of a session is sent with $feature', async (row) => {
    const { agent, connection } = await connectIn(dialect, everything[dialect], {
      script: (agent) =>
        agent
          .on('session/new', { sessionId: 's1', availableCommands })
          .on('session/prompt', () => noAnswer)
          .on(row.method, sampleOf(dialect, row.method).result ?? {}),
    });
    const session = await connection.newSession({ cwd });
    // Without a turn there is nothing to cancel.
    if (row.name === 'cancel') session.prompt('Hello').catch(() => {});
    // The session offers nothing to set or to cancel, which is checked apart from capabilities.
    await ofSession[row.name]?.(session, row.extra, { allowUnsupported: row.name === row.call });
    await flush(agent);
    const calls = sent(agent).filter(({ method }) => row.name !== 'cancel' || method !== 'session/prompt');
    expect(calls.map(({ method, params }) => [method, params])).toEqual([[row.method, row.params]]);
  });

  test('a call that the version does not have is refused with the name of the method', async () => {
    const { agent, connection } = await connectIn(dialect, everything[dialect], {
      script: (agent) => agent.on('session/new', { sessionId: 's1' }),
    });
    const session = await connection.newSession({ cwd });
    for (const [name, method] of Object.entries(missingCalls[dialect])) {
      const error = await ofSession[name]?.(session, {}, { allowUnsupported: true }).catch(
        (failure: unknown) => failure,
      );
      expect(error).toMatchObject({
        code: 'usage.capability',
        method,
        missing: [{ path: 'protocolVersion' }],
      });
      expect(String(error)).toContain(method);
    }
    await flush(agent);
    expect(sent(agent)).toEqual([]);
  });
});

describe.each(dialectNames)('features of an agent in %s', (dialect) => {
  test('supports, explain and features agree, and what an agent advertises is supported', async () => {
    expect(Object.keys(capabilities[dialect]).sort()).toEqual([...featureNames].sort());
    for (const initialize of [nothing[dialect], everything[dialect]]) {
      const { connection } = await connectIn(dialect, initialize);
      expect(Object.keys(connection.features)).toEqual([...featureNames]);
      expect(Object.isFrozen(connection.features)).toBe(true);
      for (const feature of featureNames) {
        const reading = connection.explain(feature);
        expect(reading).toMatchObject({ feature, path: capabilities[dialect][feature].path });
        expect(reading.reason).toMatch(/^[A-Z].*\.$/);
        expect([connection.supports(feature), connection.features[feature]]).toEqual([
          reading.supported,
          reading.supported,
        ]);
        if (initialize === everything[dialect])
          expect(reading.supported).toBe(capabilities[dialect][feature].kind !== 'never');
      }
    }
  });

  test.each(featureNames)(
    '[10] v1, v2, v2-markers %s is supported only for the value that advertises it',
    async (feature) => {
      for (const { initialize, path, value } of agentsWithout(dialect, feature)) {
        const { connection } = await connectIn(dialect, initialize);
        const reading = connection.explain(feature);
        expect(reading).toMatchObject({ supported: false, path, value });
        if (value !== undefined && capabilities[dialect][feature].kind !== 'never') {
          expect(reading.reason).toContain(JSON.stringify(value));
        }
        expect(connection.supports(feature)).toBe(false);
      }
    },
  );

  test('an unknown name is not supported, and does not throw', async () => {
    const { connection } = await connectIn(dialect, everything[dialect]);
    for (const name of ['', 'session.', 'toString', '__proto__', 'session.mcp._none', 'loadSession']) {
      // TypeScript does not accept the name.
      const feature = name as Feature;
      expect(connection.supports(feature)).toBe(false);
      expect(connection.explain(feature)).toMatchObject({ feature: name, supported: false });
    }
  });
});

/** An agent that supports everything, and a session whose subagent can do what `capabilities` says. */
async function withSubagent(dialect: (typeof dialectNames)[number], capabilities: object | null) {
  const connected = await connectTo(everything[dialect], {
    script: (agent) => {
      agent.on('session/new', { sessionId: 's1' });
      for (const method of Object.keys(methods[dialect])) {
        const { result } = sampleOf(dialect, method);
        if (result && method !== 'session/new') agent.on(method, result);
      }
    },
  });
  await connected.connection.newSession({ cwd });
  await deliver(connected.agent, { sessionUpdate: 'subagent_update', sessionId: 'child', capabilities });
  return connected;
}

describe.each(dialectNames)('methods for a subagent in %s', (dialect) => {
  const rows = Object.keys(methods[dialect])
    .map((method) => ({ method, ...sampleOf(dialect, method) }))
    .filter(({ params }) => 'sessionId' in params)
    .map(({ method, params, result }) => ({
      method,
      isRequest: result !== undefined,
      params: { ...params, sessionId: 'child' },
      needs: Object.hasOwn(permittedForSubagents, method) ? permittedForSubagents[method] : 'refused',
    }));

  test('are all methods that name a session', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.map(({ method }) => method)).toEqual(
      expect.arrayContaining(Object.keys(permittedForSubagents)),
    );
  });

  test.each([
    ['nothing', null],
    ['no capability', {}],
    ['cancel: null', { cancel: null }],
    ['cancel: {}', { cancel: {} }],
  ] as const)(
    '[77] v1, v2, v2-markers a subagent that permits %s gets what it permits',
    async (_, capabilities) => {
      const { agent, connection } = await withSubagent(dialect, capabilities);
      const permits = capabilities !== null && 'cancel' in capabilities && capabilities.cancel !== null;
      for (const { method, isRequest, params, needs } of rows) {
        const before = sent(agent).length;
        const isPermitted = needs === 'nothing' || (needs === 'cancel' && permits);
        const call = isRequest ? connection.request(method, params) : connection.notify(method, params);
        const error = await call.then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        await flush(agent);
        const missing = [{ feature: method, path: 'capabilities', value: capabilities }];
        if (isPermitted) expect(error, method).toBeUndefined();
        else expect(error, method).toMatchObject({ code: 'usage.capability', method, missing });
        expect(sent(agent).length - before, method).toBe(isPermitted ? 1 : 0);
      }
    },
  );
});
