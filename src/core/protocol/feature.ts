import { isJsonObject, valueAt } from '../base/json.ts';

const unstableNames = [
  'session.fork',
  'session.options',
  'session.steer',
  'session.inject',
  'session.mcp.acp',
  'session.prompt.skill',
  'session.prompt.skill.inline',
  'session.archive',
  'session.status',
  'session.title',
  'auth.status',
  'providers',
] as const;

/**
 * The features that an agent can support. Each name is the dotted path of the capability in version 2, also for version
 * 1 agents. Features from `session.fork` on are unstable or removed from the protocol.
 */
export const featureNames = [
  'session',
  'session.load',
  'session.resume',
  'session.close',
  'session.list',
  'session.delete',
  'session.additionalDirectories',
  'session.systemPrompt',
  'session.systemPrompt.override',
  'session.mcp.stdio',
  'session.mcp.http',
  'session.mcp.sse',
  'session.prompt.image',
  'session.prompt.audio',
  'session.prompt.embeddedContext',
  'auth.login',
  'auth.logout',
  ...unstableNames,
] as const;

/** The name of a feature that an agent can support. */
export type Feature = (typeof featureNames)[number];

/** A custom MCP transport. Version 2 allows these and does not specify where an agent advertises them. */
export type CustomFeature = `session.mcp._${string}`;

/** Whether a name is the one of a custom MCP transport. In JavaScript it can be any value. */
export function isCustomFeature(name: unknown): name is CustomFeature {
  return typeof name === 'string' && name.startsWith('session.mcp._');
}

/** Whether there is a feature of this name, for a check of what a program in JavaScript passed. */
export function isFeatureName(name: unknown): name is Feature | CustomFeature {
  return featureNames.some((known) => known === name) || isCustomFeature(name);
}

/** The features that are unstable in the protocol. They can change in any release. */
export const unstableFeatures: ReadonlySet<Feature> = new Set<Feature>(unstableNames);

/** Whether the agent supports a feature, with the evidence. */
export interface FeatureReading {
  readonly feature: Feature | CustomFeature;
  readonly supported: boolean;
  /** The path in the agent's `initialize` result. */
  readonly path: string;
  /** The value at the path; `undefined` if there is none. */
  readonly value: unknown;
  /** The explanation, as one sentence. */
  readonly reason: string;
}

/** As {@link FeatureReading}, of a capability with one of these names. */
export type Reading<Name extends string> = Omit<FeatureReading, 'feature'> & { readonly feature: Name };

/** How an agent of one dialect advertises a feature. */
export interface FeatureRule {
  /** The dotted path in the `initialize` result. Several features may share one. */
  readonly path: string;
  /** Which values at the path mean support. */
  readonly kind: CapabilityKind;
  /** The paths as lists of keys. Set if there is more than one path, or if a key contains a dot. */
  readonly paths?: readonly (readonly string[])[];
  /** Another way to advertise the same feature, with values of another kind. */
  readonly or?: FeatureRule;
}

/**
 * The rule of a custom MCP transport: a marker under its name, in the MCP capabilities or in their `_meta`.
 *
 * @see https://agentclientprotocol.com/protocol/v2/session-setup#checking-transport-support
 */
export function customFeature(feature: CustomFeature): FeatureRule {
  const type = feature.slice('session.mcp.'.length);
  const mcp = ['capabilities', 'session', 'mcp'];
  return {
    path: `${mcp.join('.')}._meta.${type}`,
    kind: 'marker',
    paths: [
      [...mcp, '_meta', type],
      [...mcp, type],
    ],
  };
}

/** Where an agent of version 1 has the capabilities whose names begin so. The first entry that fits counts. */
const placesV1: readonly (readonly [prefix: string, places: readonly string[]])[] = [
  ['session.prompt.', ['agentCapabilities.promptCapabilities.']],
  ['session.mcp.', ['agentCapabilities.mcpCapabilities.']],
  ['session.', ['agentCapabilities.sessionCapabilities.', 'agentCapabilities.session.']],
  ['', ['agentCapabilities.']],
];

/**
 * The rule of a capability that this library does not know: it stands where the known ones of its part stand.
 *
 * @param name - The dotted path of the capability in version 2, such as `session.budget`.
 */
export function newerFeature(name: string, protocolVersion: 1 | 2): FeatureRule {
  const [prefix = '', places = []] =
    protocolVersion === 2
      ? ['', ['capabilities.']]
      : (placesV1.find(([start]) => name.startsWith(start)) ?? []);
  const paths = places.map((place) => `${place}${name.slice(prefix.length)}`);
  return { path: paths[0] ?? name, kind: 'newer', paths: paths.map((path) => path.split('.')) };
}

/**
 * Which values of a capability mean support. Any other value does not enable a call: neither `true` for a marker nor
 * `{}` for a boolean.
 *
 * - `boolean`: `true`
 * - `marker`: an object
 * - `list`: an array with at least one item
 * - `steer`: an array with the item `steer`
 * - `always`: no value is needed, every agent of the dialect supports the feature
 * - `never`: the dialect does not have the feature
 * - `newer`: `true` or an object: this library does not know which of them the protocol asks for
 */
export type CapabilityKind = 'boolean' | 'marker' | 'list' | 'steer' | 'always' | 'never' | 'newer';

const kinds: Readonly<Record<CapabilityKind, { supports(value: unknown): boolean; expected: string }>> = {
  boolean: { supports: (value) => value === true, expected: 'true' },
  marker: { supports: isJsonObject, expected: 'an object such as {}' },
  list: {
    supports: (value) => Array.isArray(value) && value.length > 0,
    expected: 'an array with at least one item',
  },
  steer: {
    supports: (value) => Array.isArray(value) && value.includes('steer'),
    expected: 'an array with "steer"',
  },
  always: { supports: () => true, expected: 'anything' },
  never: { supports: () => false, expected: 'nothing' },
  newer: {
    supports: (value) => value === true || isJsonObject(value),
    expected: 'true or an object such as {}',
  },
};

/** Reads one feature from a raw `initialize` result. Never throws. */
export function readFeature<Name extends string>(
  feature: Name,
  rule: FeatureRule,
  initializeResult: unknown,
): Reading<Name> {
  const { supports } = kinds[rule.kind];
  const values = (rule.paths ?? [rule.path.split('.')]).map((keys) => valueAt(initializeResult, keys));
  const value = values.find(supports) ?? values.find((candidate) => candidate !== undefined);
  const supported = supports(value);
  const first = { feature, supported, path: rule.path, value, reason: reasonFor(rule, value, supported) };
  if (supported || !rule.or) return first;
  const other = readFeature(feature, rule.or, initializeResult);
  if (other.supported) return other;
  const shown = first.value === undefined && other.value !== undefined ? other : first;
  return { ...shown, reason: `${first.reason} ${other.reason}` };
}

/** Why a feature is not supported that the protocol has in another version alone. */
export const notInVersion = 'This version of the protocol does not have it.';

function reasonFor(rule: FeatureRule, value: unknown, supported: boolean): string {
  if (rule.kind === 'always') return 'Every agent that speaks this version supports it.';
  if (rule.kind === 'never') return notInVersion;
  if (supported) return `The agent advertised ${rule.path}.`;
  if (value === undefined) return `The agent did not advertise ${rule.path}.`;
  return `The agent answered ${JSON.stringify(value)} at ${rule.path}, where only ${kinds[rule.kind].expected} means support.`;
}
