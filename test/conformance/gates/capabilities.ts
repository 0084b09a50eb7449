import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import type { CustomFeature, Feature } from '../../../src/core/protocol/feature.ts';
import { rowsBelow } from '../../package/docs/pages.ts';
import { type Connected, dialectNames, everything } from '../../support/agents.ts';
import { connectFlushable, type OpenSessionOptions } from '../../support/open-session.ts';

/** The tables, which are written by hand. */
export const page = 'test/conformance/gates/tables.md';

export type AnyFeature = Feature | CustomFeature;

/** How an agent advertises a feature. `tables.md` says what they mean. */
export type Kind = 'boolean' | 'object' | 'list' | 'steer' | 'always' | 'never';

export interface Capability {
  /** Dotted path in the `initialize` result. */
  readonly path: string;
  readonly kind: Kind;
  /** Another path of the same feature. */
  readonly or?: string;
}

const featureRows = rowsBelow(page, 'feature', 'v1', 'v2-markers', 'v2-baseline');

/** The column of a dialect: cells such as `list authMethods`, or `steer a, or b`. */
function columnOf(dialect: DialectName): Readonly<Record<Feature, Capability>> {
  const rows = featureRows.map(([feature, ...cells]) => {
    const [, kind, path, or] =
      /^(\w+) ([\w.]+)(?:, or ([\w.]+))?$/.exec(cells[dialectNames.indexOf(dialect)] ?? '') ?? [];
    return [feature, { path, kind, ...(or && { or }) }] as const;
  });
  // calls.test.ts compares the names with those of the library.
  return Object.fromEntries(rows) as Readonly<Record<Feature, Capability>>;
}

/** Where an agent of each dialect advertises each feature. */
export const capabilities: Readonly<Record<DialectName, Readonly<Record<Feature, Capability>>>> = {
  v1: columnOf('v1'),
  'v2-markers': columnOf('v2-markers'),
  'v2-baseline': columnOf('v2-baseline'),
};

const customPrefix = 'session.mcp._';

/** A transport of an agent is advertised in `_meta` of the MCP capabilities, or next to the standard transports. */
export function capabilityOf(dialect: DialectName, feature: AnyFeature): Capability {
  if (!feature.startsWith(customPrefix)) return capabilities[dialect][feature as Feature];
  return { path: `capabilities.session.mcp._meta.${feature.slice('session.mcp.'.length)}`, kind: 'object' };
}

/** Stands for a key that is not there. */
const absent: unique symbol = Symbol('absent');

type Advertised = JsonValue | typeof absent;

/** Values that do not advertise a feature. */
const unsupported: Readonly<Record<Kind, readonly Advertised[]>> = {
  boolean: [absent, null, false, {}, 'true', 1, []],
  object: [absent, null, false, true, [], '{}', 0],
  list: [absent, null, [], {}, true],
  steer: [absent, null, [], ['queue'], {}, true],
  // An agent cannot take such a feature away, or give it.
  always: [],
  never: [absent, null, {}, true],
};

/** An `initialize` result that does not advertise one feature, and what it has in the feature's place. */
export interface AgentWithout {
  readonly initialize: JsonObject;
  readonly path: string;
  readonly value: JsonValue | undefined;
}

/** Every way in which an agent of a dialect does not support a feature. It advertises everything else. */
export function agentsWithout(dialect: DialectName, feature: AnyFeature): readonly AgentWithout[] {
  const { path, kind, or } = capabilityOf(dialect, feature);
  const others = or ? replaced(everything[dialect], or.split('.'), absent) : everything[dialect];
  return unsupported[kind].map((value) => ({
    initialize: replaced(others, path.split('.'), value),
    path,
    value: value === absent ? undefined : value,
  }));
}

function replaced(object: JsonObject, [key = '', ...rest]: readonly string[], value: Advertised): JsonObject {
  const { [key]: current, ...others } = object;
  if (rest.length > 0) {
    return { ...others, [key]: replaced(isJsonObject(current) ? current : {}, rest, value) };
  }
  return value === absent ? others : { ...others, [key]: value };
}

/** Connects in a dialect. An agent of version 2 that advertises little would otherwise look like another dialect. */
export function connectIn(
  dialect: DialectName,
  initialize: JsonObject,
  options: Pick<OpenSessionOptions, 'script'> = {},
): Promise<Connected> {
  return connectFlushable(initialize, { ...options, connect: { dialect } });
}
