import type * as v from 'valibot';
import { isJsonObject } from '../json.ts';
import { listItem, type SchemaShape, variantTable } from './schema-shape.ts';

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

const cache = new WeakMap<object, Check>();

function checkOf(schema: v.GenericSchema): Check {
  let check = cache.get(schema);
  if (!check) {
    check = compile(schema);
    cache.set(schema, check);
  }
  return check;
}

function compile(schema: v.GenericSchema): Check {
  const shape = schema as unknown as SchemaShape;
  const item = shape[listItem];
  if (item) return everyItem(checkOf(item));
  if (shape[variantTable]) return compileVariants(shape[variantTable]);
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

const actionChecks: Readonly<Record<string, (requirement: never) => Check>> = {
  integer: () => Number.isInteger,
  min_value: (least: number) => (value) => (value as number) >= least,
  max_value: (most: number) => (value) => (value as number) <= most,
  min_length: (least: number) => (value) => (value as string).length >= least,
  check: (requirement: Check) => requirement,
};

function compileAction(action: { type: string; requirement?: unknown }): Check {
  return actionChecks[action.type]?.(action.requirement as never) ?? never;
}

const never: Check = () => false;

const typeChecks: Readonly<Record<string, (shape: SchemaShape) => Check>> = {
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
  nullable: ({ wrapped }) => orNull(checkOf(wrapped as v.GenericSchema)),
  exact_optional: ({ wrapped }) => checkOf(wrapped as v.GenericSchema),
  array: ({ item }) => everyItem(checkOf(item as v.GenericSchema)),
  record: ({ value }) => {
    const check = checkOf(value as v.GenericSchema);
    return (candidate) =>
      isJsonObject(candidate) &&
      !droppedKeys.some((key) => Object.hasOwn(candidate, key)) &&
      Object.values(candidate).every(check);
  },
  // An earlier option may accept the value and change it, so only the first option can pass a value through.
  union: ({ options = [] }) => checkOf(options[0] as v.GenericSchema),
  lazy: ({ getter }) => {
    return (value) => getter !== undefined && checkOf(getter(value))(value);
  },
  loose_object: ({ entries = {} }) => {
    const fields = new Map<string, { readonly required: boolean; readonly check: Check }>(
      Object.entries(entries).map(([key, schema]) => [
        key,
        { required: schema.type !== 'exact_optional', check: checkOf(schema) },
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

function compileType(shape: SchemaShape): Check {
  return typeChecks[shape.type]?.(shape) ?? never;
}

/** The keys that valibot removes from its output to prevent prototype pollution. */
const droppedKeys = ['__proto__', 'prototype', 'constructor'];

function compileVariants({ key, variants, other }: NonNullable<SchemaShape[typeof variantTable]>): Check {
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
