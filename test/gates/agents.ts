import { isJsonObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import type { Dialect } from '../../src/protocol/dialect.ts';
import type { Feature, Spelling } from '../../src/protocol/feature.ts';
import { v1 } from '../../src/protocol/v1/index.ts';
import { v2Baseline, v2Markers } from '../../src/protocol/v2/index.ts';
import { type Connected, everything } from '../support/agents.ts';
import { connectFlushable, type OpenSessionOptions } from '../support/open-session.ts';

export const dialects: readonly Dialect[] = [v1, v2Markers, v2Baseline];

/** Stands for a key that is not there. */
export const absent: unique symbol = Symbol('absent');

/** What an agent may say that is no support, by the way it would say it. */
export const refusals: Readonly<Record<Spelling, readonly (JsonValue | typeof absent)[]>> = {
  boolean: [absent, null, false, {}, 'true', 1, []],
  marker: [absent, null, false, true, [], '{}', 0],
  list: [absent, null, [], {}, true],
  // Nothing that an agent says takes these away, or gives these.
  always: [],
  never: [absent, null, {}, true],
};

/** An agent that advertises everything, but for what stands at one path. */
export function agentWith({ name }: Dialect, path: string, value: JsonValue | typeof absent): JsonObject {
  return replaced(everything[name], path.split('.'), value);
}

function replaced(
  object: JsonObject,
  [key = '', ...rest]: readonly string[],
  value: JsonValue | typeof absent,
): JsonObject {
  const { [key]: current, ...others } = object;
  if (rest.length > 0) {
    return { ...others, [key]: replaced(isJsonObject(current) ? current : {}, rest, value) };
  }
  return value === absent ? others : { ...others, [key]: value };
}

/** Every way in which an agent of a dialect does not support a feature: its answer, and what stands at the path. */
export function agentsWithout(dialect: Dialect, feature: Feature) {
  const { path, spelling } = dialect.features[feature];
  return refusals[spelling].map((value) => ({
    initialize: agentWith(dialect, path, value),
    path,
    value: value === absent ? undefined : value,
  }));
}

/** Connects in a dialect, whatever the answer looks like: without its markers it would look like another. */
export function connectIn(
  { name }: Dialect,
  initialize: JsonObject,
  options: Pick<OpenSessionOptions, 'script'> = {},
): Promise<Connected> {
  return connectFlushable(initialize, { ...options, connect: { dialect: name } });
}
