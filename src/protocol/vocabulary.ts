import * as v from 'valibot';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/**
 * The schema's policies as words. A page file says what a message holds; what "optional", "lenient" or "open"
 * means is decided here, once.
 */

/** A schema that reads anything and gives a `T`. */
export type Schema<T> = v.GenericSchema<unknown, T>;

type Entries = Readonly<Record<string, v.GenericSchema>>;

/**
 * An object. To the type checker it has just these keys, so that a misspelt one is an error; at run time other keys
 * pass through, so that `_meta` and what a newer agent adds survive. A key whose value was malformed and lenient
 * is absent from the output.
 */
export function struct<const E extends Entries>(entries: E): v.ObjectSchema<E, undefined> {
  const schema = v.looseObject(entries);
  const run = schema['~run'].bind(schema);
  const lenientKeys = Object.keys(entries).filter((key) => lenientSchemas.has(entries[key] as object));
  Object.assign(schema, {
    '~run'(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      // To valibot an array is an object as well, and one without a key would pass for `{}`.
      if (Array.isArray(dataset.value)) return jsonObject['~run'](dataset, config);
      const output = run(dataset, config);
      if (output.typed) {
        // The output is a fresh object of ours; its declared type forbids deleting a key.
        const value = output.value as Record<string, unknown>;
        for (const key of lenientKeys) if (value[key] === undefined) delete value[key];
      }
      return output;
    },
  });
  // Loose at run time, exact to the type checker: that difference is this word's purpose.
  return schema as never;
}

const lenientSchemas = new WeakSet<object>();

/** A key that may be absent. `undefined` is no value, and `null` is one only where the schema says so. */
export const optional = v.exactOptional;

/** A key that may be absent or `null`, with different meanings. */
export function optionalNullable<S extends v.GenericSchema>(schema: S) {
  return v.exactOptional(v.nullable(schema));
}

/** A key that may be absent, and is taken as absent where its value is malformed (`x-deserialize-default-on-error`). */
export function lenient<S extends v.GenericSchema>(schema: S) {
  const word = v.exactOptional(v.fallback(schema as v.GenericSchema, undefined));
  lenientSchemas.add(word);
  return word as unknown as v.ExactOptionalSchema<S, undefined>;
}

/** A key of three states, absent, `null` and a value, taken as absent where malformed: most of the protocol. */
export function patch<S extends v.GenericSchema>(schema: S) {
  return lenient(v.nullable(schema));
}

/** A required key with a default for a malformed value. A missing key is still an error. */
export function orElse<S extends v.GenericSchema>(
  schema: S,
  value: v.InferOutput<S>,
): Schema<v.InferOutput<S>> {
  const word = v.fallback(schema as v.GenericSchema, value as never);
  // The detour hides the fallback from the object around it, which would use it for a missing key as well.
  return v.lazy(() => word) as never;
}

/** Marks a list that skips its malformed items, also where `v.fallback` made a copy of it. */
const listItem: unique symbol = Symbol('list item') as never;

/** An array that loses its malformed items and keeps the rest (`x-deserialize-skip-invalid-items`). */
export function lenientArray<S extends v.GenericSchema>(item: S): Schema<v.InferOutput<S>[]> {
  const word = v.pipe(
    v.array(v.unknown()),
    v.transform((items) => {
      const kept: v.InferOutput<S>[] = [];
      for (const candidate of items) {
        const result = v.safeParse(item, candidate);
        if (result.success) kept.push(result.output);
      }
      return kept;
    }),
  );
  return Object.assign(word, { [listItem]: item }) as never;
}

/** A list with something in it. */
export function some<S extends v.GenericSchema>(item: S) {
  return v.pipe(v.array(item), v.minLength(1, 'must have at least one item'));
}

/** An object of any keys and like values. */
export function record<S extends v.GenericSchema>(
  value: S,
): Schema<Readonly<Record<string, v.InferOutput<S>>>> {
  const word = v.record(v.string(), value);
  // To valibot an array is a record as well.
  return v.lazy((input) => (Array.isArray(input) ? jsonObject : word)) as never;
}

/** A string of which some values are known, and any other is kept. */
export function openEnum<K extends string>(): Schema<K | (string & {})> {
  return v.string();
}

/** A variant that this library does not know. The tag is typed `_…`, so that `switch` narrows the known ones. */
export type Unrecognized<K extends string> = { readonly [P in K]: `_${string}` } & {
  readonly [key: string]: unknown;
};

type Variants = Readonly<Record<string, v.GenericSchema>>;

/** What a union of variants reads as: each with its tag. */
export type Tagged<K extends string, V extends Variants> = {
  [T in keyof V & string]: { readonly [P in K]: T } & v.InferOutput<V[T]>;
}[keyof V & string];

/** Marks a union that is picked by its tag. */
const tagged: unique symbol = Symbol('tagged') as never;

/** A union picked by its tag, in constant time. The variants leave the tag out. An unknown tag is an error. */
export function variant<const K extends string, const V extends Variants>(
  key: K,
  variants: V,
): Schema<Tagged<K, V>> {
  const unknownTag = v.looseObject({ [key]: v.picklist(Object.keys(variants)) });
  const word = v.lazy((input) => pick(key, variants, input) ?? unknownTag);
  return Object.assign(word, { [tagged]: { key, variants, other: unknownTag } }) as never;
}

/**
 * A union picked by its tag that keeps what it does not know, and still rejects a malformed known variant.
 * `rest` says what an unknown variant must hold, beside its tag or for it.
 */
export function openVariant<const K extends string, const V extends Variants, const R extends Entries>(
  key: K,
  variants: V,
  rest: R = {} as R,
): Schema<Tagged<K, V> | (Unrecognized<K> & v.InferOutput<v.ObjectSchema<R, undefined>>)> {
  const other = struct({ [key]: v.string(), ...rest });
  const word = v.lazy((input) => pick(key, variants, input) ?? other);
  return Object.assign(word, { [tagged]: { key, variants, other } }) as never;
}

function pick(key: string, variants: Variants, input: unknown): v.GenericSchema | undefined {
  if (!isJsonObject(input)) return undefined;
  const tag = input[key];
  return typeof tag === 'string' && Object.hasOwn(variants, tag) ? variants[tag] : undefined;
}

/** Anything that JSON can say. */
export const json = v.unknown() as unknown as Schema<JsonValue>;

/** An object that JSON can say. */
export const jsonObject: Schema<JsonObject> = v.custom<JsonObject>(isJsonObject, 'must be an object');

/** `_meta`: anything but an object is taken as absent. */
export const meta = patch(jsonObject);

/** A string that may be absent or `null`, and is taken as absent where it is anything else. */
export const text = patch(v.string());

/** An object that says nothing but that it is there. */
export const empty = struct({ _meta: meta });

/** A capability marker: an object, empty or not. Anything else is no marker. */
export const marker = patch(empty);

/** A flag that is `false` where it is absent or malformed. */
export const flag = lenient(v.boolean());

/** A whole number. */
export const integer = v.pipe(v.number(), v.integer());

/** A whole number from 0. */
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A whole number from 1. */
export const ordinal = v.pipe(v.number(), v.integer(), v.minValue(1));

/** A path in the syntax of the agent's machine: `/x`, `C:\x` or `\\server\share`, on any host; no URI. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\])/.test(path);
}

/** An absolute path that we send. What an agent sends is taken as it comes. */
export const absolutePath = v.pipe(
  v.string(),
  v.check(
    isAbsolutePath,
    ({ input }) => `must be an absolute path, and is ${JSON.stringify(input)}: give the full path`,
  ),
);

/** Takes `null` for an empty object, as some agents answer where there is nothing to say. */
export function nullAsEmpty<T>(schema: Schema<T>): Schema<T> {
  return rewritten(schema, (value) => value ?? {});
}

/** Reads what `rewrite` made of the value, where the value does not fit as it came. */
export function rewritten<T>(schema: Schema<T>, rewrite: (value: unknown) => unknown): Schema<T> {
  return v.pipe(
    v.unknown(),
    v.transform((value) => (fits(schema, value) ? value : rewrite(value))),
    schema,
  );
}

/**
 * Whether `schema` would give `value` back unchanged. Derived from the schema itself, and several times cheaper
 * than a parse, which copies; `false` only means that a parse must decide.
 */
export function fits(schema: v.GenericSchema, value: unknown): boolean {
  return fitOf(schema)(value);
}

/** {@link fits} for one schema, which is looked at once, when the first value comes. */
export function fitting(schema: v.GenericSchema): Fit {
  let fit: Fit = (value) => {
    fit = fitOf(schema);
    return fit(value);
  };
  return (value) => fit(value);
}

type Fit = (value: unknown) => boolean;

const fitCache = new WeakMap<object, Fit>();

function fitOf(schema: v.GenericSchema): Fit {
  let fit = fitCache.get(schema);
  if (!fit) {
    fit = compileFit(schema);
    fitCache.set(schema, fit);
  }
  return fit;
}

/** What of a valibot schema the derivation reads. The library's own types hide these behind one generic interface. */
interface SchemaShape {
  readonly type: string;
  readonly entries?: Record<string, v.GenericSchema>;
  readonly item?: v.GenericSchema;
  readonly wrapped?: v.GenericSchema;
  readonly options?: readonly (v.GenericSchema | unknown)[];
  readonly literal?: unknown;
  readonly pipe?: readonly { kind: string; type: string; requirement?: unknown }[];
  readonly check?: Fit;
  readonly getter?: (input: unknown) => v.GenericSchema;
  readonly key?: v.GenericSchema;
  readonly value?: v.GenericSchema;
  readonly [listItem]?: v.GenericSchema;
  readonly [tagged]?: {
    readonly key: string;
    readonly variants: Variants;
    readonly other: v.GenericSchema;
  };
}

function compileFit(schema: v.GenericSchema): Fit {
  const shape = schema as unknown as SchemaShape;
  const item = shape[listItem];
  if (item) return everyItem(fitOf(item));
  if (shape[tagged]) return compileVariants(shape[tagged]);
  if (!shape.pipe) return compileType(shape);
  const [first, ...actions] = shape.pipe;
  const base = compileType({ ...shape, ...(first as unknown as SchemaShape) });
  const checks = actions.map(compileAction);
  return (value) => {
    if (!base(value)) return false;
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

const actionFits: Readonly<Record<string, (requirement: never) => Fit>> = {
  integer: () => Number.isInteger,
  min_value: (least: number) => (value) => (value as number) >= least,
  max_value: (most: number) => (value) => (value as number) <= most,
  min_length: (least: number) => (value) => (value as string).length >= least,
  check: (requirement: Fit) => requirement,
};

function compileAction(action: { type: string; requirement?: unknown }): Fit {
  return actionFits[action.type]?.(action.requirement as never) ?? never;
}

const never: Fit = () => false;

const typeFits: Readonly<Record<string, (shape: SchemaShape) => Fit>> = {
  string: () => (value) => typeof value === 'string',
  number: () => (value) => typeof value === 'number' && !Number.isNaN(value),
  boolean: () => (value) => typeof value === 'boolean',
  null: () => (value) => value === null,
  unknown: () => () => true,
  literal:
    ({ literal }) =>
    (value) =>
      value === literal,
  picklist: ({ options = [] }) => {
    const known = new Set(options);
    return (value) => known.has(value);
  },
  custom: ({ check = never }) => check,
  nullable: ({ wrapped }) => orNull(fitOf(wrapped as v.GenericSchema)),
  exact_optional: ({ wrapped }) => fitOf(wrapped as v.GenericSchema),
  array: ({ item }) => everyItem(fitOf(item as v.GenericSchema)),
  record: ({ value }) => {
    const fit = fitOf(value as v.GenericSchema);
    return (candidate) =>
      isJsonObject(candidate) &&
      !droppedKeys.some((key) => Object.hasOwn(candidate, key)) &&
      Object.values(candidate).every(fit);
  },
  // An earlier option that takes the value in part would change it: only a first match may be passed through.
  union: ({ options = [] }) => fitOf(options[0] as v.GenericSchema),
  lazy: ({ getter }) => {
    return (value) => getter !== undefined && fitOf(getter(value))(value);
  },
  loose_object: ({ entries = {} }) => {
    const fields = new Map<string, { readonly required: boolean; readonly fit: Fit }>(
      Object.entries(entries).map(([key, schema]) => [
        key,
        { required: schema.type !== 'exact_optional', fit: fitOf(schema) },
      ]),
    );
    for (const key of droppedKeys) fields.set(key, { required: false, fit: never });
    const requiredCount = [...fields.values()].filter(({ required }) => required).length;
    // By the keys that are there, which are few, and not by those that there could be.
    return (value) => {
      if (!isJsonObject(value)) return false;
      let missing = requiredCount;
      for (const key in value) {
        const field = fields.get(key);
        if (field === undefined) continue;
        if (!field.fit(value[key])) return false;
        if (field.required) missing--;
      }
      return missing === 0;
    };
  },
};

function compileType(shape: SchemaShape): Fit {
  return typeFits[shape.type]?.(shape) ?? never;
}

/** The keys that valibot leaves out of its output, because they could stand for the prototype's. */
const droppedKeys = ['__proto__', 'prototype', 'constructor'];

function compileVariants({ key, variants, other }: NonNullable<SchemaShape[typeof tagged]>): Fit {
  const fits = new Map(Object.entries(variants).map(([tag, schema]) => [tag, fitOf(schema)]));
  const otherFits = fitOf(other);
  return (value) => {
    if (!isJsonObject(value)) return false;
    const tag = value[key];
    return ((typeof tag === 'string' ? fits.get(tag) : undefined) ?? otherFits)(value);
  };
}

function orNull(fit: Fit): Fit {
  return (value) => value === null || fit(value);
}

function everyItem(fit: Fit): Fit {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!fit(item)) return false;
    return true;
  };
}
