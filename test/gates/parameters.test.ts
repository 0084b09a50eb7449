import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/json.ts';
import type { Dialect } from '../../src/protocol/dialect.ts';
import {
  type CustomFeature,
  customFeature,
  type Feature,
  type FeatureRule,
  featureNames,
} from '../../src/protocol/feature.ts';
import type { AgentMethod } from '../../src/protocol/method.ts';
import { everything } from '../support/agents.ts';
import { flush, sentSinceInitialize } from '../support/open-session.ts';
import { absent, agentWith, connectIn, dialects, refusals } from './agents.ts';
import { type GatedParameter, gatedParameters, sampleOf } from './samples.ts';

interface Case {
  readonly method: AgentMethod;
  readonly feature: Feature | CustomFeature;
  readonly params: JsonObject;
  readonly said: string;
}

/** Each method that takes a gated parameter, by what the method itself says that it needs. */
function casesOf(dialect: Dialect): readonly Case[] {
  return Object.values(dialect.agentMethods).flatMap((method) =>
    gatedParameters.flatMap((parameter) => caseOf(dialect, method, parameter)),
  );
}

function caseOf(
  dialect: Dialect,
  method: AgentMethod,
  { feature, params: parameter }: GatedParameter,
): Case[] {
  const added = parameter(dialect);
  const params = { ...sampleOf(dialect, method).params, ...added };
  const read = v.safeParse(method.params, params);
  if (!read.success || !method.uses(read.output).includes(feature)) return [];
  return [{ method, feature, params, said: `${method.method} with ${JSON.stringify(added)}` }];
}

function ruleOf(dialect: Dialect, feature: Feature | CustomFeature): FeatureRule {
  return Object.hasOwn(dialect.features, feature)
    ? dialect.features[feature as Feature]
    : customFeature(feature as CustomFeature);
}

describe.each(dialects)('the parameters of $name', (dialect) => {
  const cases = casesOf(dialect);

  test('each feature that no method needs by itself is needed by a parameter', () => {
    const byMethod = new Set<string | undefined>(
      Object.values(dialect.agentMethods).map(({ requires }) => requires),
    );
    const byParameter = new Set<string>(cases.map(({ feature }) => feature));
    expect(featureNames.filter((feature) => !byMethod.has(feature) && !byParameter.has(feature))).toEqual([]);
    // Version 1 has no transports of an agent's own.
    expect(byParameter.has('session.mcp._pipe')).toBe(dialect.protocolVersion === 2);
  });

  test.each(cases)(
    '$said is refused without $feature, and nothing is sent',
    async ({ method, feature, params }) => {
      const { path, spelling } = ruleOf(dialect, feature);
      const values = refusals[spelling];
      expect(values.length === 0).toBe(spelling === 'always');
      for (const value of values) {
        const { agent, connection } = await connectIn(dialect, agentWith(dialect, path, value));
        const error = await connection.request(method.method, params).catch((failure: unknown) => failure);
        expect(error).toMatchObject({ code: 'usage.capability', method: method.method, answered: false });
        // Where the method's own feature is read from the same place it is the one that is named.
        const own = method.requires && dialect.features[method.requires].path === path;
        const named = own ? method.requires : feature;
        const reading = { feature: named, path, value: value === absent ? undefined : value };
        const { missing } = error as { missing: readonly object[] };
        expect(missing).toContainEqual(expect.objectContaining(reading));
        await flush(agent);
        expect(sentSinceInitialize(agent)).toEqual([]);
      }
    },
  );

  const possible: readonly Case[] = cases.filter(
    ({ feature }) => ruleOf(dialect, feature).spelling !== 'never',
  );

  test.each(possible)('$said is sent with $feature, as it is', async ({ method, params }) => {
    const { agent, connection } = await connectIn(dialect, everything[dialect.name], {
      script: (agent) => agent.on(method.method, sampleOf(dialect, method).result ?? {}),
    });
    await connection.request(method.method, params);
    expect(sentSinceInitialize(agent).map((message) => [message.method, message.params])).toEqual([
      [method.method, params],
    ]);
  });

  test.each(cases)(
    '$said is sent without $feature where the call allows it',
    async ({ method, feature, params }) => {
      const { agent, connection } = await connectIn(
        dialect,
        agentWith(dialect, ruleOf(dialect, feature).path, absent),
        {
          script: (agent) => agent.on(method.method, sampleOf(dialect, method).result ?? {}),
        },
      );
      await connection.request(method.method, params, { allowUnsupported: true });
      expect(sentSinceInitialize(agent)).toMatchObject([{ method: method.method, params }]);
    },
  );
});
