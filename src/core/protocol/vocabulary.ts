import * as v from 'valibot';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { fits } from './compiled-check.ts';
import { marked, selectVariant, type Variants, type VariantTable } from './schema-shape.ts';

/**
 * The building blocks of the protocol's schemas, which each page imports as `v`. The file of a page lists the fields of a
 * message. This file defines what "optional", "lenient" and "open" mean. It has no other word of valibot for these.
 */
export {
  array,
  boolean,
  custom,
  type GenericSchema,
  type InferOutput,
  lazy,
  literal,
  maxValue,
  minLength,
  minValue,
  null,
  nullable,
  number,
  type ObjectSchema,
  picklist,
  pipe,
  safeParse,
  string,
  union,
} from 'valibot';

/** A schema that accepts any input and produces a `T`. */
export type Schema<T> = v.GenericSchema<unknown, T>;

type Entries = Readonly<Record<string, v.GenericSchema>>;

/**
 * An object. Its type has only these keys, so that a misspelled key does not compile. At run time other keys pass
 * through, so that `_meta` and the fields of newer agents survive. A lenient key with a malformed value is absent
 * from the output.
 */
export function struct<const E extends Entries>(entries: E): v.ObjectSchema<E, undefined> {
  const object = v.looseObject<Entries, undefined>(entries, undefined);
  const lenientKeys = Object.keys(entries).filter((key) => lenientSchemas.has(entries[key] as object));
  const schema =
    lenientKeys.length === 0 ? object : v.pipe(object, v.transform(withoutUndefined(lenientKeys)));
  // valibot accepts an array as an object, so an array would pass as `{}`.
  const strict = v.lazy((input) => (Array.isArray(input) ? jsonObject : schema));
  // The type is exact and the schema is loose, by design. Other code reads its fields, as of each object schema.
  return Object.assign(strict, { type: object.type, entries }) as never;
}

function withoutUndefined(keys: readonly string[]): (output: Record<string, unknown>) => unknown {
  return (output) => {
    // valibot creates the output object, so it can be changed here.
    for (const key of keys) if (output[key] === undefined) delete output[key];
    return output;
  };
}

const lenientSchemas = new WeakSet<object>();

/** A key that may be absent. `undefined` is rejected, and `null` is rejected unless the schema allows it. */
export const optional = v.exactOptional;

/** A key that may be absent or `null`, with different meanings. A malformed value is an error. */
export function optionalNullable<S extends v.GenericSchema>(schema: S) {
  return v.exactOptional(v.nullable(schema));
}

/** A key that may be absent. A malformed value counts as absent (`x-deserialize-default-on-error`). */
export function lenient<S extends v.GenericSchema>(schema: S) {
  const optionalSchema = v.exactOptional(withFallback(schema, undefined));
  lenientSchemas.add(optionalSchema);
  return optionalSchema as unknown as v.ExactOptionalSchema<S, undefined>;
}

/** A lenient key that may also be `null`. Most fields of the protocol are declared this way. */
export function nullish<S extends v.GenericSchema>(schema: S) {
  return lenient(v.nullable(schema));
}

/** A required key with a default for a malformed value. A missing key is an error. */
export function withDefault<S extends v.GenericSchema>(
  schema: S,
  value: v.InferOutput<S>,
): Schema<v.InferOutput<S>> {
  const lenientSchema = withFallback(schema, value);
  // `lazy` hides the fallback from the enclosing object, which would also use it for a missing key.
  return v.lazy(() => lenientSchema) as never;
}

function withFallback(schema: v.GenericSchema, value: unknown): v.GenericSchema {
  return marked(v.fallback(schema, value), { strict: schema });
}

/** An array. Malformed items are skipped (`x-deserialize-skip-invalid-items`). */
export function lenientArray<S extends v.GenericSchema>(item: S): Schema<v.InferOutput<S>[]> {
  const list = v.pipe(
    v.array(v.unknown()),
    v.transform((items) => {
      const valid: v.InferOutput<S>[] = [];
      for (const candidate of items) {
        const result = v.safeParse(item, candidate);
        if (result.success) valid.push(result.output);
      }
      return valid;
    }),
  );
  return marked(list, { item }) as never;
}

/** An array with at least one item. */
export function nonEmptyArray<S extends v.GenericSchema>(item: S) {
  return v.pipe(v.array(item), v.minLength(1, 'must have at least one item'));
}

/** An object with any keys, whose values all have one schema. */
export function record<S extends v.GenericSchema>(
  value: S,
): Schema<Readonly<Record<string, v.InferOutput<S>>>> {
  const schema = v.record(v.string(), value);
  // valibot accepts an array as a record.
  return v.lazy((input) => (Array.isArray(input) ? jsonObject : schema)) as never;
}

/** A string with known values. Other strings are valid and kept. */
export function openEnum<K extends string>(): Schema<K | (string & {})> {
  return v.string();
}

/** A variant that this library does not know. Its tag has the type `_…`, so that `switch` narrows known variants. */
export type Unrecognized<K extends string> = { readonly [P in K]: `_${string}` } & {
  readonly [key: string]: unknown;
};

/** The output of a union: each variant with its tag. */
export type Tagged<K extends string, V extends Variants> = {
  [T in keyof V & string]: { readonly [P in K]: T } & v.InferOutput<V[T]>;
}[keyof V & string];

/**
 * A union whose variant is selected by a tag, in constant time. The variants do not list the tag. An unknown tag is an
 * error.
 */
export function variant<const K extends string, const V extends Variants>(
  key: K,
  variants: V,
): Schema<Tagged<K, V>> {
  const unknownTag = v.looseObject({ [key]: refusing(v.picklist(Object.keys(variants))) });
  return taggedUnion({ key, variants, other: unknownTag }) as never;
}

/**
 * A union whose variant is selected by a tag. Unknown variants are kept. A malformed known variant is an error.
 *
 * @param rest - The fields that an unknown variant must have. An entry for the tag replaces `string`.
 */
export function openVariant<const K extends string, const V extends Variants, const R extends Entries>(
  key: K,
  variants: V,
  rest: R = {} as R,
): Schema<Tagged<K, V> | (Unrecognized<K> & v.InferOutput<v.ObjectSchema<R, undefined>>)> {
  return taggedUnion({ key, variants, other: struct({ [key]: v.string(), ...rest }) }) as never;
}

function taggedUnion(table: VariantTable): v.GenericSchema {
  return marked(
    v.lazy((input) => selectVariant(table, input)),
    { variants: table },
  );
}

/** A union of two: `present` reads an object with a text at `key`, and `absent` any other value. */
export function byText<A, B>(key: string, present: Schema<A>, absent: Schema<B>): Schema<A | B> {
  return v.lazy((input): Schema<A | B> => {
    return isJsonObject(input) && typeof input[key] === 'string' ? present : absent;
  });
}

/**
 * The tag of a custom variant, which begins with `_`.
 *
 * @param expected - All that the tag can be, for the message. The last one is a custom one.
 */
export function customTag(expected: string) {
  const tag = v.pipe(
    v.string(),
    v.check(
      (name) => name.startsWith('_'),
      ({ received }) => `must be ${expected}, whose name begins with _; got ${received}`,
    ),
  );
  return refusing(tag);
}

/** The schema of a tag that refuses the types that this library does not know. A call can permit them. */
export function refusing<S extends v.GenericSchema>(tag: S): S {
  return marked(tag, { refusesUnknown: true });
}

/** Any JSON value. */
export const json = v.unknown() as unknown as Schema<JsonValue>;

/** Any JSON object. */
export const jsonObject: Schema<JsonObject> = v.custom<JsonObject>(isJsonObject, 'must be an object');

/** `_meta`. A value that is not an object counts as absent. */
export const meta = nullish(jsonObject);

/** A string that may be absent or `null`. Any other value counts as absent. */
export const nullableString = nullish(v.string());

/** An object that has no fields but `_meta`. */
export const empty = struct({ _meta: meta });

/** A capability marker: an object. Any other value counts as absent. */
export const marker = nullish(empty);

/** A boolean. A malformed value counts as absent. */
export const flag = lenient(v.boolean());

/** An integer. */
export const integer = v.pipe(v.number(), v.integer());

/** An integer from 0. */
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** An integer from 1. */
export const ordinal = v.pipe(v.number(), v.integer(), v.minValue(1));

/** An integer within bounds, both included. */
export const integerBetween = (least: number, most: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

/** Whether `path` is absolute in the syntax of any system: `/x`, `C:\x` or `\\server\share`. A URI is not a path. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\[^\\])/.test(path);
}

/** A string that names a file or a folder. Where the agent sees other paths than the editor, it is replaced. */
function fileName<S extends v.GenericSchema<string>>(schema: S): S {
  return marked(schema, { namesFile: true });
}

/** An absolute path: what the client sends, and where the protocol leaves an agent no other. */
export const absolutePath = fileName(
  v.pipe(
    v.string(),
    v.check(isAbsolutePath, ({ input }) => `must be an absolute path; got ${JSON.stringify(input)}`),
  ),
);

/** A path that an agent sends. It is not checked: some agents send relative paths. */
export const path = fileName(v.string());

/** A URI. It names a file if its scheme is `file`. */
export const uri = fileName(v.string());

/** Accepts `null` as an empty object. Some agents answer `null` when a result has no fields. */
export function nullAsEmpty<T>(schema: Schema<T>): Schema<T> {
  return rewritten(schema, (value) => value ?? {});
}

/** Applies `rewrite` to a value that does not already fit the schema, and reads the result. */
export function rewritten<T>(schema: Schema<T>, rewrite: (value: unknown) => unknown): Schema<T> {
  const rewriteUnlessFits = (value: unknown) => (fits(schema, value) ? value : rewrite(value));
  const pipe = v.pipe(v.unknown(), v.transform(rewriteUnlessFits), schema);
  return marked(pipe, { rewriting: { schema, rewrite: rewriteUnlessFits } });
}
