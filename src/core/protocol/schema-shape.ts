import type * as v from 'valibot';
import { isJsonObject } from '../base/json.ts';

export type Variants = Readonly<Record<string, v.GenericSchema>>;

/**
 * A schema of valibot that the vocabulary is made of. Code outside valibot reads their fields, which valibot declares.
 */
export type KnownSchema =
  | v.StringSchema<undefined>
  | v.NumberSchema<undefined>
  | v.BooleanSchema<undefined>
  | v.NullSchema<undefined>
  | v.UnknownSchema
  | v.LiteralSchema<v.Literal, undefined>
  | v.PicklistSchema<readonly string[], undefined>
  | v.CustomSchema<unknown, undefined>
  | v.NullableSchema<v.GenericSchema, undefined>
  | v.ExactOptionalSchema<v.GenericSchema, undefined>
  | v.ArraySchema<v.GenericSchema, undefined>
  | v.RecordSchema<v.GenericSchema<string, string>, v.GenericSchema, undefined>
  | v.UnionSchema<readonly v.GenericSchema[], undefined>
  | v.LazySchema<v.GenericSchema>
  | v.LooseObjectSchema<v.ObjectEntries, undefined>;

/** A schema, by its type. */
export type SchemaOfType<T> = Extract<KnownSchema, { readonly type: T }>;

/** An action in a pipe that the vocabulary is made of. */
export type KnownAction =
  | v.IntegerAction<number, undefined>
  | v.MinValueAction<number, number, undefined>
  | v.MaxValueAction<number, number, undefined>
  | v.MinLengthAction<v.LengthInput, number, undefined>
  | v.CheckAction<unknown, undefined>;

/** An action, by its type. */
export type ActionOfType<T> = Extract<KnownAction, { readonly type: T }>;

/** What the vocabulary says of a schema in addition to the fields of valibot. */
export interface Marks {
  /** Of a lenient list: the schema of its items. */
  readonly item?: v.GenericSchema;
  /** Of a lenient schema: the schema without its fallback. */
  readonly strict?: v.GenericSchema;
  /** Of a rewriting schema: its parts. */
  readonly rewriting?: { readonly schema: v.GenericSchema; readonly rewrite: (value: unknown) => unknown };
  /** Of a tagged union. */
  readonly variants?: VariantTable;
  /** It is the schema of a path, or of a URI that can name a file. */
  readonly namesFile?: true;
  /** It is the schema of a tag that refuses the types that this library does not know. */
  readonly refusesUnknown?: true;
}

const marks: unique symbol = Symbol('marks') as never;

type Shape = KnownSchema & {
  readonly pipe?: readonly [v.GenericSchema, ...KnownAction[]];
  readonly [marks]?: Marks;
};

/** The schema with its fields. valibot's own type hides them: it describes any schema. */
export function shapeOf(schema: v.GenericSchema): Shape {
  return schema as unknown as Shape;
}

export function marksOf(schema: v.GenericSchema): Marks {
  return shapeOf(schema)[marks] ?? {};
}

/** The schema with these marks, and with those that it has: `v.fallback` copies them along. */
export function marked<S extends v.GenericSchema>(schema: S, own: Marks): S {
  return Object.assign(schema, { [marks]: { ...marksOf(schema), ...own } });
}

/** The variants of a tagged union. */
export interface VariantTable {
  readonly key: string;
  readonly variants: Variants;
  /** Reads a value whose tag is not in `variants`. */
  readonly other: v.GenericSchema;
}

/** The variant that reads `input`. */
export function selectVariant({ key, variants, other }: VariantTable, input: unknown): v.GenericSchema {
  const tag = isJsonObject(input) ? input[key] : undefined;
  return typeof tag === 'string' && Object.hasOwn(variants, tag) ? (variants[tag] ?? other) : other;
}

/**
 * The parts of a value that have schemas of their own, with their paths. Those of a union, and of a schema that is
 * lenient or rewrites, are in its {@link Marks}.
 */
export function partsIn(
  schema: v.GenericSchema,
  value: unknown,
  path: string,
): readonly (readonly [schema: v.GenericSchema, value: unknown, path: string])[] {
  const shape = shapeOf(schema);
  const at = (key: string | number) => (path === '' ? `${key}` : `${path}.${key}`);
  if (shape.type === 'lazy') return [[shape.getter(value), value, path]];
  if (shape.type === 'nullable' || shape.type === 'exact_optional')
    return value === null ? [] : [[shape.wrapped, value, path]];
  const item = marksOf(schema).item ?? (shape.type === 'array' ? shape.item : undefined);
  if (item) return Array.isArray(value) ? value.map((each, index) => [item, each, at(index)]) : [];
  if (!isJsonObject(value)) return [];
  if (shape.type === 'record')
    return Object.entries(value).map(([key, each]) => [shape.value, each, at(key)]);
  if (shape.type !== 'loose_object') return [];
  // valibot also declares schemas that resolve later, which the vocabulary does not have.
  const entries = Object.entries(shape.entries) as readonly [string, v.GenericSchema][];
  return entries
    .filter(([key]) => Object.hasOwn(value, key))
    .map(([key, entry]) => [entry, value[key], at(key)]);
}

/** `compile` for any schema, which is called when the first value of the schema arrives. */
export function compiledOnce<T extends object>(
  compile: (schema: v.GenericSchema) => T,
): (schema: v.GenericSchema) => T {
  const known = new WeakMap<object, T>();
  return (schema) => {
    let compiled = known.get(schema);
    if (!compiled) {
      compiled = compile(schema);
      known.set(schema, compiled);
    }
    return compiled;
  };
}

/** Whether the value at a path is the type of a value that this library does not know, and that the schema refuses for it. */
export function isNewerType(schema: v.GenericSchema, value: unknown, path: readonly unknown[]): boolean {
  const { refusesUnknown, variants } = marksOf(schema);
  if (refusesUnknown) return path.length === 0 && typeof value === 'string';
  if (variants) return isNewerType(selectVariant(variants, value), value, path);
  const [key, ...rest] = path;
  return partsIn(schema, value, '').some(([part, inner, at]) =>
    // What is optional or chosen late has the place of the value itself.
    at === '' ? isNewerType(part, inner, path) : at === String(key) && isNewerType(part, inner, rest),
  );
}

/** The names of the parameters that the schema of a method has. */
export function parameterNames(schema: v.GenericSchema): readonly string[] {
  const shape = shapeOf(schema);
  return shape.type === 'loose_object' ? Object.keys(shape.entries) : [];
}
