import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { fits } from '../../../src/core/protocol/compiled-check.ts';
import * as words from '../../../src/core/protocol/vocabulary.ts';
import { updates, versions } from '../../oracle/ours.ts';
import { officialDefs } from '../../support/official-schema.ts';
import { runs } from '../../support/runs.ts';
import { instanceOf, mutationsOf } from '../../support/schema-arbitrary.ts';

const { lenient, lenientArray, nullish, openVariant, struct, variant, withDefault } = words;

function read(schema: v.GenericSchema, value: unknown): unknown {
  const result = v.safeParse(schema, value);
  return result.success ? result.output : { refused: v.getDotPath(result.issues[0]) };
}

describe('struct', () => {
  it('keeps the keys that it does not know', () => {
    expect(read(struct({ a: v.string() }), { a: 'x', b: 1, _meta: {} })).toEqual({ a: 'x', b: 1, _meta: {} });
  });

  it('takes no array for an object, even if no key is required', () => {
    expect(read(struct({ a: words.nullableString }), [])).toEqual({ refused: null });
    expect(fits(struct({ a: words.nullableString }), [])).toBe(false);
  });

  it('leaves out a key whose value was malformed, for the standard schema interface as well', async () => {
    const schema = struct({ a: words.nullableString });
    expect(read(schema, { a: 5 })).toStrictEqual({});
    expect(await schema['~standard'].validate({ a: 5 })).toStrictEqual({ typed: true, value: {} });
  });
});

describe('three states', () => {
  const schema = struct({ a: nullish(v.string()), b: lenient(v.string()) });

  it.each([
    [{}, {}],
    [{ a: null }, { a: null }],
    [{ a: 'x' }, { a: 'x' }],
    [{ a: 5 }, {}],
    [{ b: null }, {}],
    [{ b: 'x' }, { b: 'x' }],
  ])('%o reads as %o', (value, expected) => {
    expect(read(schema, value)).toStrictEqual(expected);
  });
});

describe('lists', () => {
  it('lose their malformed items where they are lenient', () => {
    expect(read(lenientArray(v.string()), ['a', 5, 'b'])).toEqual(['a', 'b']);
    expect(read(lenientArray(v.string()), 'a')).toEqual({ refused: null });
  });

  it('need their key even where a malformed one is forgiven', () => {
    const schema = struct({ a: withDefault(lenientArray(v.string()), []) });
    expect(read(schema, { a: 5 })).toEqual({ a: [] });
    expect(read(schema, {})).toEqual({ refused: 'a' });
  });

  it('fit wherever they stand', () => {
    const list = lenientArray(v.string());
    for (const field of [list, lenient(list), nullish(list), withDefault(list, [])]) {
      expect(fits(struct({ a: field }), { a: ['x'] })).toBe(true);
      expect(fits(struct({ a: field }), { a: ['x', 5] })).toBe(false);
    }
  });

  it('must have something in them where `nonEmptyArray` says so', () => {
    expect(read(words.nonEmptyArray(v.string()), [])).toEqual({ refused: null });
    expect(fits(words.nonEmptyArray(v.string()), [])).toBe(false);
    expect(fits(words.nonEmptyArray(v.string()), ['a'])).toBe(true);
  });
});

describe('unions', () => {
  const variants = { text: struct({ text: v.string() }) };

  it('are picked by their tag, and reject a malformed known variant', () => {
    for (const union of [variant('type', variants), openVariant('type', variants)]) {
      expect(read(union, { type: 'text', text: 'x' })).toEqual({ type: 'text', text: 'x' });
      expect(read(union, { type: 'text', text: 5 })).toEqual({ refused: 'text' });
      expect(read(union, { text: 'x' })).toEqual({ refused: 'type' });
      expect(read(union, 'text')).toEqual({ refused: null });
    }
  });

  it('keep what they do not know where they are open, and only there', () => {
    const unknown = { type: 'hologram', depth: 3 };
    expect(read(openVariant('type', variants), unknown)).toEqual(unknown);
    expect(read(variant('type', variants), unknown)).toEqual({ refused: 'type' });
  });

  it('take no name of the prototype for a tag', () => {
    const odd = { type: 'toString' };
    expect(read(openVariant('type', variants), odd)).toEqual(odd);
    expect(read(variant('type', variants), odd)).toEqual({ refused: 'type' });
  });

  it('say what an unknown variant must hold', () => {
    const union = openVariant('type', variants, { id: v.string() });
    expect(read(union, { type: 'hologram' })).toEqual({ refused: 'id' });
    expect(read(openVariant('type', variants, { type: v.literal('_x') }), { type: 'y' })).toEqual({
      refused: 'type',
    });
  });
});

describe('records', () => {
  it('are objects of like values', () => {
    const schema = words.record(v.string());
    expect(read(schema, { a: 'x' })).toEqual({ a: 'x' });
    expect(read(schema, { a: 5 })).toEqual({ refused: 'a' });
    expect(read(schema, [])).toEqual({ refused: null });
    expect(fits(schema, { a: 'x' })).toBe(true);
    expect(fits(schema, JSON.parse('{"constructor":"x"}'))).toBe(false);
  });
});

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

describe('absolute paths', () => {
  it.each(['/', '/a b', 'C:\\x', 'c:/x', '\\\\server\\share'])('%s is one', (path) => {
    expect(words.isAbsolutePath(path)).toBe(true);
  });

  it.each(['', 'a', './a', '~/a', 'C:', 'C:x', '\\a', 'file:///a'])('%s is none', (path) => {
    expect(words.isAbsolutePath(path)).toBe(false);
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
