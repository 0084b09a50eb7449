import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/core/base/errors.ts';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { CallOptions } from '../../../src/core/client/calls/call-options.ts';
import type { ClientConnection } from '../../../src/core/client/connection.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { v1 } from '../../../src/core/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../../src/core/protocol/v2/index.ts';
import { type Connected, dialectNames, everything, refuses } from '../../support/agents.ts';
import { cwd, flush, sent, sentSinceInitialize } from '../../support/open-session.ts';
import { type AnyFeature, agentsWithout, capabilityOf, connectIn } from './capabilities.ts';
import { availableCommands, methods, parameterOf, sampleOf } from './table.ts';

const dialects = { v1, 'v2-markers': v2Markers, 'v2-baseline': v2Baseline };

interface Row {
  readonly method: string;
  readonly feature: AnyFeature;
  /** The row as the title of its test shows it. */
  readonly call: string;
  readonly params: JsonObject;
}

/** Each method, and each of its parameters that needs a feature. */
function rowsOf(dialect: DialectName): readonly Row[] {
  return Object.entries(methods[dialect]).flatMap(([method, { requires, parameters }]) => {
    const { params } = sampleOf(dialect, method);
    return [
      { method, feature: requires, call: method, params },
      ...Object.entries(parameters).map(([name, feature]) => ({
        method,
        feature,
        call: `${method} with ${name}`,
        params: { ...params, ...parameterOf(dialect, name) },
      })),
    ];
  });
}

/** Makes the call by the name of its method, as a request or a notification. */
function callByMethod(
  connection: ClientConnection,
  { method, params }: Pick<Row, 'method' | 'params'>,
  options?: CallOptions,
): Promise<unknown> {
  return sampleOf('v1', method).result
    ? connection.request(method, params, options)
    : connection.notify(method, params, options);
}

/** An agent that answers everything, with a session in which each call has a subject. */
async function openBusySession(dialect: DialectName): Promise<Connected> {
  const option = {
    ...(dialect === 'v1' ? { id: 'model' } : { configId: 'model' }),
    name: 'Model',
    type: 'select',
    currentValue: 'small',
    options: [{ value: 'small', name: 'Small' }],
  };
  const modes = { currentModeId: 'ask', availableModes: [{ id: 'code', name: 'Code' }] };
  const models = { currentModelId: 'large', availableModels: [{ modelId: 'small', name: 'Small' }] };
  const connected = await connectIn(dialect, everything[dialect], {
    script: (agent) => {
      for (const method of Object.keys(methods[dialect])) {
        const { result } = sampleOf(dialect, method);
        if (result) agent.on(method, result);
      }
      agent.on('session/new', {
        sessionId: 's1',
        modes,
        models,
        configOptions: [option],
        availableCommands,
      });
    },
  });
  await connected.connection.newSession({ cwd });
  const capabilities = { cancel: {} };
  if (dialect !== 'v1') {
    connected.agent.update(
      's1',
      { sessionUpdate: 'tool_call_update', toolCallId: 't1', capabilities },
      { sessionUpdate: 'terminal_update', terminalId: 'x', capabilities },
    );
  }
  await flush(connected.agent);
  return connected;
}

const failureOf = (promise: Promise<unknown>) => promise.catch((failure: unknown) => failure);

describe.each(dialectNames)('raw calls in %s', (dialect) => {
  const rows = rowsOf(dialect);

  test('the table lists each method of the dialect', () => {
    const known = Object.values(dialects[dialect].agentMethods).map(({ method }) => method);
    expect(Object.keys(methods[dialect]).sort()).toEqual([...new Set(known)].sort());
  });

  test('the table needs each feature of the dialect', () => {
    const needed = new Set<string>(rows.map(({ feature }) => feature));
    const possible = Object.entries(dialects[dialect].features).filter(([, { kind }]) => kind !== 'never');
    expect(possible.map(([feature]) => feature).filter((feature) => !needed.has(feature))).toEqual([]);
  });

  test.each(rows)('$call is refused without $feature, and nothing is sent', async (row) => {
    const without = agentsWithout(dialect, row.feature);
    expect(without.length === 0).toBe(capabilityOf(dialect, row.feature).kind === 'always');
    for (const { initialize, path, value } of without) {
      const { agent, connection } = await connectIn(dialect, initialize);
      const error = await failureOf(callByMethod(connection, row));
      expect(error).toMatchObject({
        name: 'CapabilityError',
        code: 'usage.capability',
        method: row.method,
      });
      // Features with one path are missing together, and the error names that of the method.
      const { requires = row.feature } = methods[dialect][row.method] ?? {};
      const feature = capabilityOf(dialect, requires).path === path ? requires : row.feature;
      const { missing, message } = error as Error & { readonly missing: readonly object[] };
      expect(missing).toContainEqual(expect.objectContaining({ feature, path, value } as object));
      expect(message).toContain('Nothing was sent.');
      if (capabilityOf(dialect, feature).kind !== 'never') expect(message).toContain(path);
      await flush(agent);
      expect(sentSinceInitialize(agent)).toEqual([]);
    }
  });

  const possible = rows.filter(({ feature }) => capabilityOf(dialect, feature).kind !== 'never');

  test.each(possible)('$call is sent with $feature', async (row) => {
    const { agent, connection } = await openBusySession(dialect);
    await callByMethod(connection, row);
    await flush(agent);
    expect(sent(agent).map(({ method, params }) => [method, params])).toEqual([[row.method, row.params]]);
  });

  test.each(rows)('$call is sent without $feature if the call has allowUnsupported', async (row) => {
    for (const { initialize } of agentsWithout(dialect, row.feature)) {
      const { agent, connection } = await connectIn(dialect, initialize, {
        script: (agent) => agent.on(row.method, sampleOf(dialect, row.method).result ?? {}),
      });
      await callByMethod(connection, row, { allowUnsupported: true });
      await flush(agent);
      expect(sentSinceInitialize(agent)).toMatchObject([{ method: row.method, params: row.params }]);
      // The option is for one call.
      await expect(callByMethod(connection, row)).rejects.toMatchObject({ code: 'usage.capability' });
    }
  });

  const own = rows.filter(({ method, call }) => method === call);

  test('error -32601 from an agent that advertised the method is a MethodNotFoundError', async () => {
    for (const row of own.filter(({ method }) => sampleOf(dialect, method).result)) {
      const { agent, connection } = await openBusySession(dialect);
      agent.on(row.method, refuses(-32601, 'Method not found'));
      const error = await failureOf(callByMethod(connection, row));
      expect(error, row.method).toMatchObject({
        name: 'MethodNotFoundError',
        code: 'remote.method_not_found',
        method: row.method,
        feature: row.feature,
        rpcCode: -32601,
        agentMessage: 'Method not found',
      });
      expect(error).not.toBeInstanceOf(UsageError);
      expect((error as Error).message).not.toContain('Nothing was sent');
    }
  });

  test('a request cannot be sent as a notification, nor a notification as a request', async () => {
    const { agent, connection } = await openBusySession(dialect);
    for (const { method, params } of own) {
      const wrong = sampleOf(dialect, method).result
        ? connection.notify(method, params)
        : connection.request(method, params);
      await expect(wrong, method).rejects.toMatchObject({ code: 'usage.params', method });
    }
    await flush(agent);
    expect(sent(agent)).toEqual([]);
  });
});
