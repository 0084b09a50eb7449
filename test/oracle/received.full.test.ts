import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { fits } from '../../src/core/protocol/compiled-check.ts';
import { closure, type Defs, forgiving, judge, officialDefs, reader } from '../support/official-schema.ts';
import { instanceOf, mutationsOf } from '../support/schema-arbitrary.ts';
import { differences, patched } from './differences.ts';
import { schemas, versions } from './ours.ts';

/** The definitions that an agent sends: its answers, its requests and notifications, and all that these hold. */
function receivedDefs(defs: Defs): readonly string[] {
  const roots = Object.keys(defs).filter((name) => {
    const { 'x-side': side, 'x-method': method } = defs[name] ?? {};
    if (!method || side === 'proxy') return false;
    return name.endsWith('Response') ? side === 'agent' : side === 'client' || side === 'protocol';
  });
  return [...closure(defs, roots)];
}

describe.each(versions)('messages of an agent of version %i', (version) => {
  const official = officialDefs(version);
  const defs = patched(official, differences[version]);
  const accepts = judge(forgiving(defs), { formats: false });
  const read = reader(defs);
  const received = receivedDefs(official).filter((name) => Object.hasOwn(schemas[version], name));

  it.each(received)('%s is accepted as by the official schema', (name) => {
    const schema = schemas[version][name] as v.GenericSchema;
    const instances = instanceOf(defs, name);
    let valid = 0;
    fc.assert(
      fc.property(fc.oneof(instances, mutationsOf(instances)), (instance) => {
        const ours = v.safeParse(schema, instance);
        const theirs = read(name, instance);
        const accepted = theirs !== undefined;
        // `expect` takes longer than the rest of a run. The reader is a second opinion, and itself judged.
        if (accepted !== accepts(name, instance)) expect(accepted).toBe(!accepted);
        if (accepted !== ours.success)
          expect({ instance, accepted: ours.success }).toEqual({ instance, accepted });
        if (!theirs) return;
        valid += 1;
        if (!isDeepStrictEqual(ours.output, theirs.value)) expect(ours.output).toEqual(theirs.value);
        if (fits(schema, instance) && !isDeepStrictEqual(ours.output, instance))
          expect(ours.output).toEqual(instance);
      }),
      { numRuns: 200 },
    );
    expect(valid).toBeGreaterThan(0);
  });

  it.each(differences[version])('has a written reason for the difference: $def', ({ def, witness }) => {
    const before = reader(official)(def, witness);
    const after = read(def, witness);
    expect(after).not.toEqual(before);
    const schema = schemas[version][def];
    if (!schema) return;
    const ours = v.safeParse(schema, witness);
    expect(ours.success ? { value: ours.output } : undefined).toEqual(after);
  });
});
