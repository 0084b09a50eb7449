import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import { noAnswer } from '../../../src/records/testing/scripted-agent.ts';
import { dialectNames, everything } from '../../support/agents.ts';
import { cwd, flush, sent, sentSinceInitialize } from '../../support/open-session.ts';
import { someOf } from '../../support/runs.ts';
import { missingCalls, ofConnection, ofSession, typedCall } from './calls.ts';
import { type AnyFeature, agentsWithout, capabilityOf, connectIn } from './capabilities.ts';
import { availableCommands, type ParameterName, parameterOf, sampleOf } from './table.ts';

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
    const parameters = (Object.keys(gate.parameters ?? {}) as ParameterName[]).filter(
      (parameter) => parameter !== 'additionalDirectories: []',
    );
    return [
      { name, method, feature: gate.requires, call: name, extra: {}, params },
      ...parameters.map((parameter) => {
        const extra = parameterOf(dialect, parameter);
        return {
          name,
          method,
          // The names are the keys of the object.
          feature: gate.parameters?.[parameter] as AnyFeature,
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

  test.each(ofConnectionRows)('$call is refused without $feature, and nothing is sent', async (row) => {
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
  });

  test.each(ofConnectionRows.filter(isPossible))('$call is sent with $feature', async (row) => {
    const { agent, connection } = await connectIn(dialect, everything[dialect], {
      script: (agent) => agent.on(row.method, sampleOf(dialect, row.method).result ?? {}),
    });
    await ofConnection[row.name]?.(connection, row.extra, {});
    expect(sentSinceInitialize(agent).map(({ method, params }) => [method, params])).toEqual([
      [row.method, row.params],
    ]);
  });

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

  test.each(ofSessionRows)('$call is refused without $feature, and nothing is sent', async (row) => {
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
  });

  test.each(ofSessionRows.filter(isPossible))('$call is sent with $feature', async (row) => {
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
