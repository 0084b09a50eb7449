import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/core/base/json.ts';
import type { DialectName } from '../../../src/core/protocol/dialect.ts';
import type { CustomFeature, Feature } from '../../../src/core/protocol/feature.ts';
import { type Connected, everything } from '../../support/agents.ts';
import { connectFlushable, type OpenSessionOptions } from '../../support/open-session.ts';

export type AnyFeature = Feature | CustomFeature;

/**
 * How an agent advertises a feature:
 *
 * - `boolean`: only `true` counts
 * - `object`: only an object counts, empty or not
 * - `list`: only an array with at least one item counts
 * - `steer`: only an array with `steer` counts
 * - `always`: each agent of the dialect has the feature
 * - `never`: the dialect does not have the feature
 */
export type Kind = 'boolean' | 'object' | 'list' | 'steer' | 'always' | 'never';

export interface Capability {
  /** Dotted path in the `initialize` result. */
  readonly path: string;
  readonly kind: Kind;
  /** Another path of the same feature. */
  readonly or?: string;
}

const agent = (path: string, kind: Kind): Capability => ({ path: `agentCapabilities.${path}`, kind });
const object = (path: string): Capability => ({ path: `capabilities.${path}`, kind: 'object' });

const steering = '_meta.steering.supported';
const inject: Capability = { path: 'capabilities.session.inject.modes', kind: 'steer' };

const draft: Readonly<Record<Feature, Capability>> = {
  session: object('session'),
  'session.load': object('session.load'),
  'session.resume': object('session.resume'),
  'session.close': object('session.close'),
  'session.list': object('session.list'),
  'session.delete': object('session.delete'),
  'session.additionalDirectories': object('session.additionalDirectories'),
  'session.mcp.stdio': object('session.mcp.stdio'),
  'session.mcp.http': object('session.mcp.http'),
  'session.mcp.sse': { path: 'capabilities.session.mcp.sse', kind: 'never' },
  'session.prompt.image': object('session.prompt.image'),
  'session.prompt.audio': object('session.prompt.audio'),
  'session.prompt.embeddedContext': object('session.prompt.embeddedContext'),
  'auth.login': { path: 'authMethods', kind: 'list' },
  'auth.logout': { path: 'authMethods', kind: 'list' },
  'session.fork': object('session.fork'),
  'session.options': object('session.options'),
  'session.steer': { ...inject, or: steering },
  'session.inject': inject,
  'session.mcp.acp': object('session.mcp.acp'),
  'session.prompt.skill': object('session.prompt.skill'),
  'session.prompt.skill.inline': object('session.prompt.skill.inline'),
  'session.archive': object('session.archive'),
  'session.status': object('session.status'),
  'session.title': object('session.title'),
  'session.systemPrompt': object('session.systemPrompt'),
  'session.systemPrompt.override': object('session.systemPrompt.mode.override'),
  'auth.status': object('auth.status'),
  providers: object('providers'),
};

/**
 * Where an agent of each dialect advertises each feature. Written by hand from the pages of the protocol, and not
 * derived from `src/core/protocol`, which it tests.
 *
 * @see https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities
 * @see https://agentclientprotocol.com/protocol/v2/initialization#agent-capabilities
 */
export const capabilities: Readonly<Record<DialectName, Readonly<Record<Feature, Capability>>>> = {
  v1: {
    session: { path: 'agentCapabilities', kind: 'always' },
    'session.load': agent('loadSession', 'boolean'),
    'session.resume': agent('sessionCapabilities.resume', 'object'),
    'session.close': agent('sessionCapabilities.close', 'object'),
    'session.list': agent('sessionCapabilities.list', 'object'),
    'session.delete': agent('sessionCapabilities.delete', 'object'),
    'session.additionalDirectories': agent('sessionCapabilities.additionalDirectories', 'object'),
    'session.mcp.stdio': agent('mcpCapabilities.stdio', 'always'),
    'session.mcp.http': agent('mcpCapabilities.http', 'boolean'),
    'session.mcp.sse': agent('mcpCapabilities.sse', 'boolean'),
    'session.prompt.image': agent('promptCapabilities.image', 'boolean'),
    'session.prompt.audio': agent('promptCapabilities.audio', 'boolean'),
    'session.prompt.embeddedContext': agent('promptCapabilities.embeddedContext', 'boolean'),
    'auth.login': { path: 'authMethods', kind: 'list' },
    'auth.logout': agent('auth.logout', 'object'),
    'session.fork': agent('sessionCapabilities.fork', 'object'),
    'session.options': agent('sessionCapabilities.options', 'object'),
    'session.steer': { path: steering, kind: 'boolean' },
    'session.inject': agent('session.inject.modes', 'never'),
    'session.mcp.acp': agent('mcpCapabilities.acp', 'boolean'),
    'session.prompt.skill': agent('promptCapabilities.skill', 'never'),
    'session.prompt.skill.inline': agent('promptCapabilities.skill.inline', 'never'),
    'session.archive': agent('sessionCapabilities.archive', 'object'),
    'session.status': agent('sessionCapabilities.status', 'object'),
    'session.title': agent('sessionCapabilities.title', 'object'),
    'session.systemPrompt': agent('sessionCapabilities.systemPrompt', 'object'),
    'session.systemPrompt.override': agent('sessionCapabilities.systemPrompt.mode.override', 'object'),
    'auth.status': agent('auth.status', 'object'),
    providers: agent('providers', 'object'),
  },
  'v2-markers': draft,
  'v2-baseline': {
    ...draft,
    'session.load': draft.session,
    'session.resume': draft.session,
    'session.close': draft.session,
    'session.list': draft.session,
  },
};

const customPrefix = 'session.mcp._';

/** A transport of an agent is advertised in `_meta` of the MCP capabilities, or next to the standard transports. */
export function capabilityOf(dialect: DialectName, feature: AnyFeature): Capability {
  if (!feature.startsWith(customPrefix)) return capabilities[dialect][feature as Feature];
  return object(`session.mcp._meta.${feature.slice('session.mcp.'.length)}`);
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
