import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { fits } from '../../../src/protocol/compiled-check.ts';
import * as words from '../../../src/protocol/vocabulary.ts';
import { updates, versions } from '../../oracle/ours.ts';
import { officialDefs } from '../../support/official-schema.ts';
import { runs } from '../../support/runs.ts';
import { instanceOf, mutationsOf } from '../../support/schema-arbitrary.ts';

const { struct } = words;

function read(schema: v.GenericSchema, value: unknown): unknown {
  const result = v.safeParse(schema, value);
  return result.success ? result.output : { refused: v.getDotPath(result.issues[0]) };
}

describe('rewriting', () => {
  it('is for what does not fit as it came', () => {
    const seen: unknown[] = [];
    const schema = words.rewritten(struct({ a: v.string() }), (value) => {
      seen.push(value);
      return { a: 'rewritten' };
    });
    expect(read(schema, { a: 'x' })).toEqual({ a: 'x' });
    expect(read(schema, { b: 'x' })).toEqual({ a: 'rewritten' });
    expect(seen).toEqual([{ b: 'x' }]);
  });

  it('takes null for an empty object', () => {
    const schema = words.nullAsEmpty(struct({ a: words.nullableString }));
    expect(read(schema, null)).toEqual({});
    expect(read(schema, 5)).toEqual({ refused: null });
  });
});

/** Keys that valibot leaves out of its output: `fits` must not hand them on. */
const poisoned = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? JSON.parse(`{${JSON.stringify(key)}:1,${JSON.stringify(value).slice(1)}`.replace(',}', '}'))
    : value;

describe.each(versions)('fits, over the updates of version %i', (version) => {
  const defs = officialDefs(version);
  const instances = mutationsOf(instanceOf(defs, 'SessionUpdate'));
  const plain = instanceOf(defs, 'SessionUpdate');
  const keys = fc.constantFrom('__proto__', 'constructor', 'prototype');
  const odd = fc.tuple(plain, keys).map(([value, key]) => poisoned(value, key));

  it('says yes to just what a parse gives back as it is', () => {
    const counts = { fits: 0, others: 0 };
    fc.assert(
      fc.property(fc.oneof(plain, instances, odd), (update) => {
        const tag = (update as { sessionUpdate?: unknown } | null)?.sessionUpdate;
        const schema = updates[version][String(tag)];
        if (!schema) return;
        const result = v.safeParse(schema, update);
        const unchanged = result.success && isDeepStrictEqual(result.output, update);
        expect({ update, fits: fits(schema, update) }).toEqual({ update, fits: unchanged });
        counts[unchanged ? 'fits' : 'others'] += 1;
      }),
      { numRuns: runs(1000) },
    );
    expect(counts.fits).toBeGreaterThan(runs(100));
    expect(counts.others).toBeGreaterThan(runs(100));
  });
});
