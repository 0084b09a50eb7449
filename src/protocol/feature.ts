import { isJsonObject } from '../json.ts';

/**
 * What an agent may support, by the dotted path of the capability in version 2, whichever version is spoken.
 * The second half, from `session.fork`, is unstable in the protocol, or gone from it.
 */
export const featureNames = [
  'session',
  'session.load',
  'session.resume',
  'session.close',
  'session.list',
  'session.delete',
  'session.additionalDirectories',
  'session.mcp.stdio',
  'session.mcp.http',
  'session.mcp.sse',
  'session.prompt.image',
  'session.prompt.audio',
  'session.prompt.embeddedContext',
  'auth.login',
  'auth.logout',
  'session.fork',
  'session.mcp.acp',
  'session.archive',
  'session.status',
  'session.title',
  'session.systemPrompt',
  'session.systemPrompt.override',
  'auth.status',
  'providers',
] as const;

/** The name of something an agent may support. */
export type Feature = (typeof featureNames)[number];

/** An MCP transport of the agent's own: version 2 lets an agent have some, and names no place to advertise them. */
export type CustomFeature = `session.mcp._${string}`;

/** The features that are not stable in the protocol: they may change with any release. */
export const unstableFeatures: ReadonlySet<Feature> = new Set<Feature>([
  'session.fork',
  'session.mcp.acp',
  'session.archive',
  'session.status',
  'session.title',
  'session.systemPrompt',
  'session.systemPrompt.override',
  'auth.status',
  'providers',
]);

/** Whether the agent supports a feature, and why. */
export interface FeatureReading {
  readonly feature: Feature | CustomFeature;
  readonly supported: boolean;
  /** Where it was looked for in the agent's `initialize` result. */
  readonly path: string;
  /** What stood there; `undefined` where nothing did. */
  readonly value: unknown;
  /** One sentence for a person. */
  readonly reason: string;
}

/** How one dialect says that a feature is supported. */
export interface FeatureRule {
  /** Dotted path in the `initialize` result; several features may share one. */
  readonly path: string;
  /** How a value at the path is read. */
  readonly spelling: Spelling;
  /** The keys to follow, where the path's dots do not tell them apart, and where there is more than one way. */
  readonly places?: readonly (readonly string[])[];
}

/**
 * How a custom MCP transport is advertised: by its name, in the `_meta` of the MCP capabilities or beside the
 * standard ones.
 *
 * @see https://agentclientprotocol.com/protocol/v2/session-setup#checking-transport-support
 */
export function customFeature(feature: CustomFeature): FeatureRule {
  const type = feature.slice('session.mcp.'.length);
  const mcp = ['capabilities', 'session', 'mcp'];
  return {
    path: `${mcp.join('.')}._meta.${type}`,
    spelling: 'marker',
    places: [
      [...mcp, '_meta', type],
      [...mcp, type],
    ],
  };
}

/**
 * The ways to say "supported". A malformed value never enables a call: `true` where an object is due, `{}` where
 * `true` is due.
 *
 * - `boolean`: `true`, and nothing else
 * - `marker`: an object, empty or not
 * - `list`: an array with something in it
 * - `always`: every agent of this dialect must support it
 * - `never`: this dialect does not have it
 */
export type Spelling = 'boolean' | 'marker' | 'list' | 'always' | 'never';

const spellings: Readonly<Record<Spelling, { supports(value: unknown): boolean; due: string }>> = {
  boolean: { supports: (value) => value === true, due: 'true' },
  marker: { supports: isJsonObject, due: 'an object such as {}' },
  list: { supports: (value) => Array.isArray(value) && value.length > 0, due: 'a list that is not empty' },
  always: { supports: () => true, due: 'anything' },
  never: { supports: () => false, due: 'nothing' },
};

/** Reads one feature from a raw `initialize` result. Never throws. */
export function readFeature(
  feature: Feature | CustomFeature,
  rule: FeatureRule,
  initializeResult: unknown,
): FeatureReading {
  const { supports, due } = spellings[rule.spelling];
  const values = (rule.places ?? [rule.path.split('.')]).map((keys) => valueAt(initializeResult, keys));
  const value = values.find(supports) ?? values.find((candidate) => candidate !== undefined);
  const supported = supports(value);
  return { feature, supported, path: rule.path, value, reason: reasonFor(rule, value, supported, due) };
}

function reasonFor(rule: FeatureRule, value: unknown, supported: boolean, due: string): string {
  if (rule.spelling === 'always') return 'Every agent that speaks this version supports it.';
  if (rule.spelling === 'never') return 'This version of the protocol does not have it.';
  if (supported) return `The agent advertised ${rule.path}.`;
  if (value === undefined) return `The agent did not advertise ${rule.path}.`;
  return `The agent answered ${JSON.stringify(value)} at ${rule.path}, where only ${due} means support.`;
}

function valueAt(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
