import { describe, expect, it } from 'vitest';
import { officialDefs, type SchemaObject } from '../support/official-schema.ts';
import { exceptionsOf, schemas, versions } from './ours.ts';

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
const excluded: Readonly<Record<1 | 2, readonly string[]>> = {
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
        !excluded[version].includes(name) &&
        !Object.values(kinds).some((fits) => fits(schema as SchemaObject)),
    );
    expect(Object.keys(defs).length).toBeGreaterThan(200);
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it('are the only names that are exported', () => {
    expect(Object.keys(ours).filter((name) => !Object.hasOwn(defs, name))).toEqual([]);
  });

  it('have no reason that is out of date', () => {
    const stale = excluded[version].filter((name) => !Object.hasOwn(defs, name) || Object.hasOwn(ours, name));
    expect(stale).toEqual([]);
  });
});
