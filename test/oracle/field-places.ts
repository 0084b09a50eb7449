import { type Defs, resolve, type Schema, type SchemaObject } from '../support/official-schema.ts';

/**
 * A field of a definition, as two instances of the definition that differ in this field alone: a program that cannot
 * tell the two apart cannot read the field.
 */
export interface FieldPlace {
  /** The definition that has the field, and the name of the field. */
  readonly field: string;
  readonly with: unknown;
  readonly without: unknown;
}

/** A value of a schema, and the places of the fields in it. */
interface Sample {
  /** A valid value with as little in it as possible. */
  readonly value: unknown;
  /** Another valid value, if the schema allows one. */
  readonly other: unknown;
  readonly places: readonly FieldPlace[];
}

/** What the client requires of some values beyond their type. */
const valuesOf: Readonly<Record<string, readonly [unknown, unknown]>> = {
  path: ['/sample/a', '/sample/b'],
  oldPath: ['/sample/a', '/sample/b'],
  cwd: ['/sample/a', '/sample/b'],
  additionalDirectories: ['/sample/a', '/sample/b'],
  command: ['/programs/a', '/programs/b'],
  uri: ['https://example.com/a', 'https://example.com/b'],
  url: ['https://example.com/a', 'https://example.com/b'],
  src: ['https://example.com/a', 'https://example.com/b'],
  baseUrl: ['https://example.com/a', 'https://example.com/b'],
  data: ['QUFB', 'QkJC'],
  updatedAt: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  lastModified: ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'],
  currency: ['USD', 'EUR'],
};

/** The places of all fields of a schema, at any depth. A definition that holds itself is followed once. */
export function fieldPlaces(defs: Defs, schema: Schema, def: string): readonly FieldPlace[] {
  const { places } = sampleOf(defs, schema, { def, key: '', open: [] });
  const seen = new Set<string>();
  return places.filter(({ field }) => !seen.has(field) && seen.add(field));
}

/** A valid value of a schema, with as little in it as possible. */
export function smallest(defs: Defs, schema: Schema): unknown {
  return sampleOf(defs, schema, { def: '', key: '', open: [] }).value;
}

interface Position {
  /** The definition that the position is in. */
  readonly def: string;
  /** The key of the value, if it is a field. */
  readonly key: string;
  /** The definitions around it. */
  readonly open: readonly string[];
}

function sampleOf(defs: Defs, schema: Schema, position: Position): Sample {
  if (typeof schema === 'boolean') return plain('anything', { anything: 'else' });
  const { $ref, allOf = [], anyOf, oneOf } = schema;
  const parts: Sample[] = [];
  if ($ref) parts.push(referred(defs, schema, position));
  for (const part of allOf) parts.push(sampleOf(defs, part, position));
  const branches = anyOf ?? oneOf;
  if (branches) parts.push(chosen(defs, branches, position));
  if (schema.properties || parts.length === 0) parts.push(ownSample(defs, schema, position));
  return parts.reduce(merged);
}

/** The places of a value that is put into another one. */
export const placesIn = (places: readonly FieldPlace[], put: (value: unknown) => unknown) =>
  places.map((place): FieldPlace => ({ ...place, with: put(place.with), without: put(place.without) }));

const plain = (value: unknown, other: unknown): Sample => ({ value, other, places: [] });

function referred(defs: Defs, schema: SchemaObject, { key, open }: Position): Sample {
  const def = schema.$ref?.split('/').at(-1) ?? '';
  const sample = sampleOf(defs, resolve(defs, schema), { def, key, open: [...open, def] });
  return open.includes(def) ? { ...sample, places: [] } : sample;
}

/** One branch is the sample. The places are those of all branches. */
function chosen(defs: Defs, branches: readonly Schema[], position: Position): Sample {
  const samples = branches
    .filter((branch) => typeof branch === 'boolean' || branch.type !== 'null')
    .map((branch) => sampleOf(defs, branch, position));
  const [first = plain(null, null), second] = samples;
  const other = typeof first.value === 'object' ? first.other : (second?.value ?? first.other);
  return { value: first.value, other, places: samples.flatMap(({ places }) => places) };
}

function merged(one: Sample, two: Sample): Sample {
  const join = (a: unknown, b: unknown) => (isObject(a) && isObject(b) ? { ...a, ...b } : b);
  return {
    value: join(one.value, two.value),
    other: join(one.other, two.other),
    places: [
      ...placesIn(one.places, (value) => join(two.value, value)),
      ...placesIn(two.places, (value) => join(one.value, value)),
    ],
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function ownSample(defs: Defs, schema: SchemaObject, position: Position): Sample {
  if (schema.const !== undefined) return plain(schema.const, schema.const);
  if (schema.enum) return plain(schema.enum[0], schema.enum[1] ?? schema.enum[0]);
  if (schema.properties) return objectSample(defs, schema, schema.properties, position);
  const type = [schema.type ?? []].flat().find((name) => name !== 'null');
  const known = valuesOf[position.key];
  if (type === 'string') return known ? plain(...known) : plain('sample-a', 'sample-b');
  if (type === 'integer' || type === 'number') return plain(schema.minimum ?? 0, (schema.minimum ?? 0) + 1);
  if (type === 'boolean') return plain(true, false);
  if (type === 'array') return arraySample(defs, schema, position);
  if (type === 'object') return mapSample(defs, schema, position);
  return plain({ any: 'value' }, { any: 'other' });
}

function arraySample(defs: Defs, { items = true, minItems = 0 }: SchemaObject, position: Position): Sample {
  const item = sampleOf(defs, items, position);
  return {
    value: minItems > 0 ? [item.value] : [],
    other: [item.value, ...(minItems > 0 ? [item.value] : [])],
    places: placesIn(item.places, (value) => [value]),
  };
}

function mapSample(defs: Defs, { additionalProperties = true }: SchemaObject, position: Position): Sample {
  const entry = sampleOf(defs, additionalProperties, position);
  const under = (value: unknown) => ({ 'sample-key': value });
  return {
    value: {},
    other: under(entry.value),
    places: placesIn(entry.places, under),
  };
}

function objectSample(
  defs: Defs,
  { required = [] }: SchemaObject,
  properties: Readonly<Record<string, Schema>>,
  position: Position,
): Sample {
  const samples = Object.entries(properties).map(
    ([key, property]) => [key, sampleOf(defs, property, { ...position, key })] as const,
  );
  const least = Object.fromEntries(
    samples.filter(([key]) => required.includes(key)).map(([key, { value }]) => [key, value]),
  );
  const places = samples.flatMap(([key, sample]) => {
    const put = (value: unknown) => ({ ...least, [key]: value });
    const field = `${position.def}.${key}`;
    const isTag = sample.value === sample.other;
    // An empty list or the first word of several is often the default.
    const own = { field, with: put(sample.other), without: least };
    return [...(isTag && required.includes(key) ? [] : [own]), ...placesIn(sample.places, put)];
  });
  const [different] = places;
  return { value: least, other: different?.with ?? least, places };
}
