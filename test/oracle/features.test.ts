import { describe, expect, it } from 'vitest';
import { type CapabilityKind, featureNames } from '../../src/core/protocol/feature.ts';
import {
  type Defs,
  officialDefs,
  resolve,
  type Schema,
  type SchemaObject,
} from '../support/official-schema.ts';
import { dialects, versions } from './ours.ts';

/** How the official schema spells what stands at a path of the answer to `initialize`. */
function officialKind(defs: Defs, path: string): CapabilityKind | undefined {
  let schema = bare(defs, { $ref: '#/$defs/InitializeResponse' });
  for (const key of path.split('.')) {
    const property = schema.properties?.[key];
    if (property === undefined) return undefined;
    schema = bare(defs, property);
  }
  const kinds: Readonly<Record<string, CapabilityKind>> = {
    boolean: 'boolean',
    object: 'marker',
    array: 'list',
  };
  return kinds[String(schema.type)];
}

/** The schema behind references, and beside `null`. */
function bare(defs: Defs, schema: Schema): SchemaObject {
  if (typeof schema === 'boolean') return {};
  const [first] = (schema.allOf ?? schema.anyOf ?? []) as readonly SchemaObject[];
  if (schema.$ref) return bare(defs, resolve(defs, schema));
  return first && !schema.properties ? bare(defs, first) : schema;
}

/** Features that the schema of the version does not spell, with the reason. */
const unspelled: Readonly<Record<string, readonly string[]>> = {
  // Every agent has them.
  v1: ['session', 'session.mcp.stdio'],
  // Gone from this version.
  'v2-baseline': ['session.mcp.sse'],
  // The markers of the draft are gone from the schema.
  'v2-markers': ['session.mcp.sse', 'session.load', 'session.resume', 'session.close', 'session.list'],
};

/** Features whose path ends in another word than their name. */
const renamed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v1: {
    session: 'agentCapabilities',
    'session.load': 'agentCapabilities.loadSession',
    'auth.login': 'authMethods',
  },
  'v2-baseline': {
    'session.load': 'capabilities.session',
    'session.resume': 'capabilities.session',
    'session.close': 'capabilities.session',
    'session.list': 'capabilities.session',
    'auth.login': 'authMethods',
    'auth.logout': 'authMethods',
  },
  'v2-markers': { 'auth.login': 'authMethods', 'auth.logout': 'authMethods' },
};

/** Features that the schema does not have. */
const proposed: readonly string[] = [
  'session.steer',
  'session.inject',
  'session.options',
  'session.prompt.skill',
  'session.prompt.skill.inline',
];
const spelled = featureNames.filter((feature) => !proposed.includes(feature));

const cases = versions.flatMap((version) => dialects[version].map((dialect) => ({ version, dialect })));

describe.each(cases)('the features of $dialect.name', ({ version, dialect }) => {
  const defs = officialDefs(version);
  const exceptions = unspelled[dialect.name] ?? [];

  it.each(spelled)('%s is read where and as the official schema has it', (feature) => {
    const { path, kind } = dialect.features[feature];
    const expected = renamed[dialect.name]?.[feature];
    if (expected === undefined) expect(path.split('.').at(-1)).toBe(feature.split('.').at(-1));
    else expect(path).toBe(expected);
    if (exceptions.includes(feature)) expect(['always', 'never', 'marker']).toContain(kind);
    else expect({ path, kind }).toEqual({ path, kind: officialKind(defs, path) });
  });

  it('are always or never there for a reason alone', () => {
    const fixed = spelled.filter((name) => ['always', 'never'].includes(dialect.features[name].kind));
    expect(fixed).toEqual(version === 1 ? ['session', 'session.mcp.stdio'] : ['session.mcp.sse']);
  });
});
