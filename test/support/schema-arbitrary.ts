import fc from 'fast-check';
import { type Defs, resolve, type Schema, type SchemaObject } from './official-schema.ts';

/** Instances of the definitions of a JSON schema, and instances that went wrong somewhere. */

/** Mostly valid instances of a definition; now and then a number is just outside its range. */
export function instanceOf(defs: Defs, def: string): fc.Arbitrary<unknown> {
  return arbitraryOf(defs, { $ref: `#/$defs/${def}` });
}

const anything = fc.constantFrom<unknown>(null, 0, 'text', true, [1, null], { key: { nested: [] } });
const strings = fc.oneof(
  fc.constantFrom('a', 'id-1', '/absolute/path', '_custom', 'future', 'https://example.com/x'),
  fc.string({ maxLength: 8 }),
);

function arbitraryOf(defs: Defs, schema: Schema): fc.Arbitrary<unknown> {
  if (typeof schema === 'boolean') return anything;
  if (schema.$ref) return arbitraryOf(defs, resolve(defs, schema));
  const branches = schema.anyOf ?? schema.oneOf;
  const parts: fc.Arbitrary<unknown>[] = (schema.allOf ?? []).map((part) => arbitraryOf(defs, part));
  if (branches) parts.push(fc.oneof(...branches.map((branch) => arbitraryOf(defs, branch))));
  if (schema.properties || parts.length === 0) parts.push(ownArbitrary(defs, schema));
  return fc.tuple(...parts).map(merged);
}

/** Parts that are objects make one object; of others the last says all. */
function merged(parts: readonly unknown[]): unknown {
  return parts.every((part) => typeof part === 'object' && part !== null && !Array.isArray(part))
    ? Object.assign({}, ...parts)
    : parts.at(-1);
}

function ownArbitrary(defs: Defs, schema: SchemaObject): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.properties) return objectArbitrary(defs, schema);
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return anything;
  return fc.oneof(...types.map((type) => typeArbitrary(defs, type, schema)));
}

function typeArbitrary(defs: Defs, type: string, schema: SchemaObject): fc.Arbitrary<unknown> {
  const { minimum = -5, maximum = 100_000 } = schema;
  const arbitraries: Readonly<Record<string, () => fc.Arbitrary<unknown>>> = {
    null: () => fc.constant(null),
    string: () => strings.filter((text) => text.length >= (schema.minLength ?? 0)),
    boolean: () => fc.boolean(),
    integer: () => fc.oneof(fc.integer({ min: minimum, max: maximum }), justOutside(schema)),
    number: () => fc.double({ min: minimum, max: maximum, noNaN: true }),
    array: () =>
      fc.array(arbitraryOf(defs, schema.items ?? true), { minLength: schema.minItems ?? 0, maxLength: 3 }),
    object: () =>
      fc.dictionary(
        fc.constantFrom('a', 'b', 'long key'),
        arbitraryOf(defs, schema.additionalProperties ?? true),
        {
          maxKeys: 2,
        },
      ),
  };
  const arbitrary = arbitraries[type];
  if (!arbitrary) throw new Error(`No arbitrary for type ${type}`);
  return arbitrary();
}

function justOutside({ minimum, maximum }: SchemaObject): fc.Arbitrary<unknown> {
  const beyond = [minimum === undefined ? [] : minimum - 1, maximum === undefined ? [] : maximum + 1].flat();
  return fc.constantFrom(1, ...beyond);
}

function objectArbitrary(defs: Defs, schema: SchemaObject): fc.Arbitrary<unknown> {
  const properties = schema.properties ?? {};
  const model = Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [key, arbitraryOf(defs, property)]),
  );
  return fc.record(model, { requiredKeys: [...(schema.required ?? [])] });
}

const surprises: readonly unknown[] = [
  null,
  0,
  1,
  -1,
  1.5,
  70_000,
  '',
  'surprise',
  '_custom',
  true,
  false,
  [],
  [null],
  ['text'],
  {},
  { type: 'text' },
];

/** Numbers at the edges of what the schemas allow somewhere. */
const edges: readonly number[] = [-1, 0, 0.5, 1, 2, 65_535, 65_536];

/** One thing done to a value, at the `at`th place in it. A number becomes one of the edges, if it was to be nudged. */
interface Mutation {
  readonly at: number;
  readonly kind: 'surprise' | 'nudge' | 'remove';
  readonly surprise: unknown;
  readonly edge: number;
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat({ max: 1000 }),
  kind: fc.constantFrom('surprise', 'nudge', 'remove'),
  surprise: fc.constantFrom(...surprises),
  edge: fc.constantFrom(...edges),
});

/** The instance with up to three things wrong in it, or none that matter. */
export function mutationsOf(instances: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(instances, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([instance, mutations]) => mutations.reduce(mutated, instance));
}

function mutated(value: unknown, { at, kind, surprise, edge }: Mutation): unknown {
  const copy = { root: structuredClone(value) };
  const places = placesIn(copy);
  const place = places[at % places.length];
  if (!place) return value;
  const { owner, key } = place;
  const fields = owner as Record<string, unknown>;
  if (kind === 'remove' && Array.isArray(owner)) owner.splice(Number(key), 1);
  else if (kind === 'remove' && owner !== copy) delete fields[key];
  else fields[key] = kind === 'nudge' && typeof fields[key] === 'number' ? edge : surprise;
  return copy.root;
}

function placesIn(owner: object): { readonly owner: object; readonly key: string }[] {
  return Object.entries(owner).flatMap(([key, child]) => [
    { owner, key },
    ...(typeof child === 'object' && child !== null ? placesIn(child) : []),
  ]);
}
