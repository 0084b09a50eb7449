import type * as v from 'valibot';
import { isJsonObject } from '../base/json.ts';
import {
  type ActionOfType,
  compiledOnce,
  type KnownAction,
  type KnownSchema,
  marksOf,
  type SchemaOfType,
  shapeOf,
  type VariantTable,
} from './schema-shape.ts';

/**
 * Whether a parse with `schema` would return `value` unchanged. The check is compiled from the schema once, copies
 * nothing, and is several times cheaper than a parse. `false` means that a parse must decide.
 */
export function fits(schema: v.GenericSchema, value: unknown): boolean {
  return checkOf(schema)(value);
}

/** {@link fits} for one schema. It is compiled when the first value arrives, to keep the start of a program fast. */
export function compileCheck(schema: v.GenericSchema): Check {
  let check: Check = (value) => {
    check = checkOf(schema);
    return check(value);
  };
  return (value) => check(value);
}

type Check = (value: unknown) => boolean;

const checkOf = compiledOnce(compile);

function compile(schema: v.GenericSchema): Check {
  const shape = shapeOf(schema);
  const { item, variants } = marksOf(schema);
  if (item) return everyItem(checkOf(item));
  if (variants) return compileVariants(variants);
  // Each table has the function for this very type. A value never fits what is not in the table.
  if (!shape.pipe) return typeChecks[shape.type]?.(shape as never) ?? never;
  const [first, ...actions] = shape.pipe;
  const base = checkOf(first);
  const checks = actions.map((action) => actionChecks[action.type]?.(action as never) ?? never);
  return (value) => {
    if (!base(value)) return false;
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}

const actionChecks: { readonly [T in KnownAction['type']]: (action: ActionOfType<T>) => Check } = {
  integer: () => Number.isInteger,
  min_value:
    ({ requirement }) =>
    (value) =>
      (value as number) >= requirement,
  max_value:
    ({ requirement }) =>
    (value) =>
      (value as number) <= requirement,
  min_length:
    ({ requirement }) =>
    (value) =>
      (value as v.LengthInput).length >= requirement,
  check: ({ requirement }) => requirement,
};

const never: Check = () => false;

const typeChecks: { readonly [T in KnownSchema['type']]: (schema: SchemaOfType<T>) => Check } = {
  string: () => (value) => typeof value === 'string',
  number: () => (value) => typeof value === 'number' && !Number.isNaN(value),
  boolean: () => (value) => typeof value === 'boolean',
  null: () => (value) => value === null,
  unknown: () => () => true,
  literal:
    ({ literal }) =>
    (value) =>
      value === literal,
  picklist: ({ options }) => {
    const known: ReadonlySet<unknown> = new Set(options);
    return (value) => known.has(value);
  },
  custom: ({ check }) => check,
  nullable: ({ wrapped }) => orNull(checkOf(wrapped)),
  exact_optional: ({ wrapped }) => checkOf(wrapped),
  array: ({ item }) => everyItem(checkOf(item)),
  record: ({ value }) => {
    const check = checkOf(value);
    return (candidate) =>
      isJsonObject(candidate) &&
      !droppedKeys.some((key) => Object.hasOwn(candidate, key)) &&
      Object.values(candidate).every(check);
  },
  // An earlier option may accept the value and change it, so only the first option can pass a value through.
  union: ({ options: [first] }) => (first ? checkOf(first) : never),
  lazy: ({ getter }) => {
    return (value) => checkOf(getter(value))(value);
  },
  loose_object: ({ entries }) => {
    const fields = new Map<string, { readonly required: boolean; readonly check: Check }>(
      Object.entries(entries).map(([key, schema]) => [
        key,
        // valibot also declares schemas that resolve later, which the vocabulary does not have.
        { required: schema.type !== 'exact_optional', check: checkOf(schema as v.GenericSchema) },
      ]),
    );
    for (const key of droppedKeys) fields.set(key, { required: false, check: never });
    const requiredCount = [...fields.values()].filter(({ required }) => required).length;
    // The keys that are present are few, the keys that are possible are many.
    return (value) => {
      if (!isJsonObject(value)) return false;
      let missing = requiredCount;
      for (const key in value) {
        const field = fields.get(key);
        if (field === undefined) continue;
        if (!field.check(value[key])) return false;
        if (field.required) missing--;
      }
      return missing === 0;
    };
  },
};

/** The keys that valibot removes from its output to prevent prototype pollution. */
const droppedKeys = ['__proto__', 'prototype', 'constructor'];

function compileVariants({ key, variants, other }: VariantTable): Check {
  const checks = new Map(Object.entries(variants).map(([tag, schema]) => [tag, checkOf(schema)]));
  const checkOther = checkOf(other);
  return (value) => {
    if (!isJsonObject(value)) return false;
    const tag = value[key];
    return ((typeof tag === 'string' ? checks.get(tag) : undefined) ?? checkOther)(value);
  };
}

function orNull(check: Check): Check {
  return (value) => value === null || check(value);
}

function everyItem(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return false;
    for (const item of value) if (!check(item)) return false;
    return true;
  };
}
