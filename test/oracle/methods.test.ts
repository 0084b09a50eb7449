import { describe, expect, it } from 'vitest';
import type { DialectName } from '../../src/core/protocol/dialect.ts';
import { type CapabilityKind, featureNames, unstableFeatures } from '../../src/core/protocol/feature.ts';
import {
  type Defs,
  officialDefs,
  resolve,
  type Schema,
  type SchemaObject,
} from '../support/official-schema.ts';
import { dialects, exceptionsOf, outside, schemas, updates, versions } from './ours.ts';

interface OfficialMethod {
  readonly method: string;
  readonly side: string;
}

function officialMethods(version: 1 | 2): readonly OfficialMethod[] {
  const seen = new Map<string, OfficialMethod>();
  for (const { 'x-method': method, 'x-side': side } of Object.values(officialDefs(version))) {
    if (method && side) seen.set(`${side} ${method}`, { method, side });
  }
  return [...seen.values()];
}

/** Methods that no dialect has in its tables. */
const excluded = exceptionsOf('methods in no table');

/** Methods of earlier drafts that are not in the official schema any more. Some agents still have them. */
const removed: Readonly<Record<DialectName, readonly string[]>> = {
  v1: ['session/set_model'],
  'v2-markers': ['session/load'],
  'v2-baseline': [],
};

describe.each(versions)('the methods of version %i', (version) => {
  const methods = officialMethods(version);

  describe.each(dialects[version].map((dialect) => ({ dialect, name: dialect.name })))(
    'in $name',
    ({ dialect }) => {
      it.each(methods)('$side $method is in a table, or has a written reason', ({ side, method }) => {
        const table = side === 'agent' ? dialect.agentMethods : dialect.clientMethods;
        expect(Object.hasOwn(table, method)).toBe(!excluded.includes(`${side} ${method}`));
      });

      it('are those of the official schema', () => {
        const known = (side: string) =>
          methods
            .filter((each) => each.side === side || each.side === 'protocol')
            .map(({ method }) => method);
        const invented = [
          ...Object.keys(dialect.agentMethods).filter((method) => !known('agent').includes(method)),
          ...Object.keys(dialect.clientMethods).filter((method) => !known('client').includes(method)),
        ];
        expect(invented.filter((method) => !outside.includes(method))).toEqual(removed[dialect.name]);
      });

      it('are requests and notifications as the schema has them', () => {
        const defs = officialDefs(version);
        for (const [method, descriptor] of [
          ...Object.entries(dialect.agentMethods).map((entry) => [...entry, 'agent'] as const),
          ...Object.entries(dialect.clientMethods).map((entry) => [...entry, 'client'] as const),
        ].map(([name, each, side]) => [name, { ...each, side }] as const)) {
          if (removed[dialect.name].includes(method) || outside.includes(method)) continue;
          const hasAnswer = Object.entries(defs).some(
            ([name, def]) =>
              def['x-method'] === method &&
              (def['x-side'] === descriptor.side || def['x-side'] === 'protocol') &&
              name.endsWith('Response'),
          );
          expect({ method, hasAnswer: descriptor.result !== undefined }).toEqual({ method, hasAnswer });
        }
      });

      it('are called by the name under which they are listed', () => {
        for (const each of Object.values(dialect.calls)) {
          if (each) expect(Object.keys(dialect.agentMethods)).toContain(each.descriptor.method);
        }
      });
    },
  );

  it('have no reason that is out of date', () => {
    const names = methods.map(({ side, method }) => `${side} ${method}`);
    if (version === 1) expect(names).toEqual(expect.arrayContaining([...excluded]));
  });
});

/** Updates that the official schema does not have, by version. */
const proposed = exceptionsOf('updates that the schemas do not have');

describe.each(versions)('the updates of version %i', (version) => {
  const union = officialDefs(version)['SessionUpdate'];
  const tags = (union?.oneOf ?? union?.anyOf ?? []).flatMap((branch) => {
    const tag = typeof branch === 'object' ? branch.properties?.['sessionUpdate'] : undefined;
    return typeof tag === 'object' && typeof tag.const === 'string' ? [tag.const] : [];
  });

  it('are those of the official schema, and those that have a written reason', () => {
    const newer = proposed.flatMap((name) => (name.startsWith(`${version} `) ? name.slice(2) : []));
    expect(new Set(Object.keys(updates[version]))).toEqual(new Set([...tags, ...newer]));
    expect(tags.filter((tag) => newer.includes(tag))).toEqual([]);
  });
});

describe.each(versions)('unstable methods of version %i', (version) => {
  it('need an unstable feature', () => {
    const stable = new Set(stableMethods(version));
    for (const { name, agentMethods } of dialects[version]) {
      for (const [method, { requires }] of Object.entries(agentMethods)) {
        const unstable = requires !== undefined && unstableFeatures.has(requires);
        expect({ method, unstable }).toEqual({
          method,
          unstable: !stable.has(method) && !removed[name].includes(method),
        });
      }
    }
  });
});

function stableMethods(version: 1 | 2): readonly string[] {
  return Object.values(officialDefs(version, 'stable')).flatMap((def) => def['x-method'] ?? []);
}

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

/** Features that the schema of the version does not spell, by dialect. */
const unspelled = exceptionsOf('features that the schema of the version does not spell');

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

const proposedFeatures = exceptionsOf('features that no schema has');
const spelled = featureNames.filter((feature) => !proposedFeatures.includes(feature));

const cases = versions.flatMap((version) => dialects[version].map((dialect) => ({ version, dialect })));

describe.each(cases)('the features of $dialect.name', ({ version, dialect }) => {
  const defs = officialDefs(version);

  it.each(spelled)('%s is read where and as the official schema has it', (feature) => {
    const { path, kind } = dialect.features[feature];
    const expected = renamed[dialect.name]?.[feature];
    if (expected === undefined) expect(path.split('.').at(-1)).toBe(feature.split('.').at(-1));
    else expect(path).toBe(expected);
    if (unspelled.includes(`${dialect.name} ${feature}`))
      expect(['always', 'never', 'marker']).toContain(kind);
    else expect({ path, kind }).toEqual({ path, kind: officialKind(defs, path) });
  });

  it('are always or never there for a reason alone', () => {
    const fixed = spelled.filter((name) => ['always', 'never'].includes(dialect.features[name].kind));
    expect(fixed).toEqual(version === 1 ? ['session', 'session.mcp.stdio'] : ['session.mcp.sse']);
  });
});

/** Kinds of definitions that need no schema of ours, by their shape. */
const kinds: Readonly<Record<string, (schema: SchemaObject) => boolean>> = {
  'a plain string, for which `v.string()` says it all': (schema) =>
    schema.type === 'string' && schema.enum === undefined,
  'an empty object: a marker, or an answer that says nothing': (schema) =>
    schema.type === 'object' &&
    !schema.anyOf &&
    !schema.oneOf &&
    Object.keys(schema.properties ?? {}).every((key) => key === '_meta'),
  'anything at all': (schema) => Object.keys(schema).every((key) => /^description$|^x-/.test(key)),
};

const both = exceptionsOf('definitions without a schema of ours');
const withoutSchema: Readonly<Record<1 | 2, readonly string[]>> = {
  1: both,
  2: [...both, ...exceptionsOf('definitions of version 2 without a schema of ours')],
};

describe.each(versions)('the definitions of version %i', (version) => {
  const defs = officialDefs(version);
  const ours = schemas[version];

  it('are exported, or have a written reason', () => {
    const missing = Object.entries(defs).filter(
      ([name, schema]) =>
        !Object.hasOwn(ours, name) &&
        !withoutSchema[version].includes(name) &&
        !Object.values(kinds).some((fits) => fits(schema as SchemaObject)),
    );
    expect(Object.keys(defs).length).toBeGreaterThan(200);
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('are the only names that are exported', () => {
    expect(Object.keys(ours).filter((name) => !Object.hasOwn(defs, name))).toEqual([]);
  });

  it('have no reason that is out of date', () => {
    const stale = withoutSchema[version].filter(
      (name) => !Object.hasOwn(defs, name) || Object.hasOwn(ours, name),
    );
    expect(stale).toEqual([]);
  });
});
