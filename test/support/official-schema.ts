import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/**
 * The schemas that the protocol's authors publish, as judges over ours: what they accept, and what a receiver that
 * obeys their `x-deserialize-*` annotations reads.
 */

export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly default?: unknown;
  readonly 'x-method'?: string;
  readonly 'x-side'?: string;
  readonly 'x-deserialize-default-on-error'?: boolean;
  readonly 'x-deserialize-skip-invalid-items'?: boolean;
  readonly 'x-deserialize-default-on-null'?: boolean;
}

export type Schema = boolean | SchemaObject;
export type Defs = Readonly<Record<string, SchemaObject>>;

const require = createRequire(import.meta.url);

const files = { stable: 'schema.json', all: 'schema.unstable.json' };

/** The definitions of one version: those that are stable, or all. */
export function officialDefs(version: 1 | 2, which: keyof typeof files = 'all'): Defs {
  const file = require.resolve(`@agentclientprotocol/sdk/schema/v${version}/${files[which]}`);
  return JSON.parse(readFileSync(file, 'utf8')).$defs;
}

/** The definition that a reference names. */
export function resolve(defs: Defs, schema: SchemaObject): SchemaObject {
  const name = schema.$ref?.split('/').at(-1);
  if (name === undefined) return schema;
  const target = defs[name];
  if (!target) throw new Error(`No definition ${name}`);
  return target;
}

/** Judges values by definition. With formats, an address or a date must look like one. */
export function judge(defs: Defs, options: { formats: boolean }): (def: string, value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: options.formats, logger: false });
  if (options.formats) addFormats.default(ajv);
  ajv.addSchema({ $id: 'official', $defs: defs });
  const compiled = new Map<string, ValidateFunction>();
  return (def, value) => {
    const validate = compiled.get(def) ?? ajv.compile({ $ref: `official#/$defs/${def}` });
    compiled.set(def, validate);
    return validate(value) === true;
  };
}

/** The definitions as a receiver applies them: where a malformed value is forgiven, anything is accepted. */
export function forgiving(defs: Defs): Defs {
  return Object.fromEntries(
    Object.entries(defs).map(([name, schema]) => [name, forgive(schema) as SchemaObject]),
  );
}

function forgive(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema;
  const forgiven = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties') return [key, mapValues(value, forgiveProperty)];
      if (key === 'allOf' || key === 'anyOf' || key === 'oneOf') return [key, value.map(forgive)];
      if (key === 'items' || key === 'not' || key === 'additionalProperties') return [key, forgive(value)];
      return [key, value];
    }),
  ) as SchemaObject;
  return forgiven;
}

function forgiveProperty(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema;
  if (schema['x-deserialize-default-on-error']) return true;
  const { 'x-deserialize-skip-invalid-items': skips, 'x-deserialize-default-on-null': nullable } = schema;
  const inner = forgive(skips ? { ...schema, items: true } : schema);
  return nullable ? { anyOf: [inner, { type: 'null' }] } : inner;
}

function mapValues<A, B>(object: Readonly<Record<string, A>>, map: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

/** What a receiver reads; absent where the value is refused. */
export type Reading = { readonly value: unknown } | undefined;

/** Reads values as the annotations say: malformed optional values as absent, malformed items left out. */
export function reader(defs: Defs): (def: string, value: unknown) => Reading {
  return (def, value) => read(defs, { $ref: `#/$defs/${def}` }, value);
}

function read(defs: Defs, schema: Schema, value: unknown): Reading {
  if (typeof schema === 'boolean') return schema ? { value } : undefined;
  if (!hasForm(schema, value)) return undefined;
  if (schema.not && read(defs, schema.not, value)) return undefined;
  let reading: Reading = { value };
  const then = (part: Schema) => {
    reading = reading && read(defs, part, reading.value);
  };
  if (schema.$ref) then(resolve(defs, schema));
  for (const part of schema.allOf ?? []) then(part);
  reading = reading && readBranch(defs, schema, reading.value);
  reading = reading && readProperties(defs, schema, reading.value);
  return reading && readItems(defs, schema, reading.value);
}

function hasForm(schema: SchemaObject, value: unknown): boolean {
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return false;
  if (schema.const !== undefined && value !== schema.const) return false;
  if (schema.enum && !schema.enum.includes(value)) return false;
  if (typeof value === 'number')
    return value >= (schema.minimum ?? value) && value <= (schema.maximum ?? value);
  if (typeof value !== 'string') return true;
  return value.length >= (schema.minLength ?? 0) && new RegExp(schema.pattern ?? '').test(value);
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readBranch(defs: Defs, schema: SchemaObject, value: unknown): Reading {
  const branches = schema.anyOf ?? schema.oneOf;
  if (!branches) return { value };
  const readings = branches.flatMap((branch) => read(defs, branch, value) ?? []);
  return schema.oneOf && readings.length > 1 ? undefined : readings[0];
}

function readProperties(defs: Defs, schema: SchemaObject, value: unknown): Reading {
  if (!isObject(value)) return { value };
  const required = new Set(schema.required ?? []);
  for (const key of required) if (!Object.hasOwn(value, key)) return undefined;
  const output: Record<string, unknown> = { ...value };
  for (const [key, field] of Object.entries(value)) {
    const property = schema.properties?.[key] ?? schema.additionalProperties ?? true;
    const nullable = typeof property === 'object' && property['x-deserialize-default-on-null'];
    const reading = nullable && field === null ? { value: null } : read(defs, property, field);
    if (reading) output[key] = reading.value;
    else if (typeof property !== 'object' || !property['x-deserialize-default-on-error']) return undefined;
    else if (required.has(key)) output[key] = property.default ?? [];
    else delete output[key];
  }
  return { value: output };
}

function readItems(defs: Defs, schema: SchemaObject, value: unknown): Reading {
  const { items } = schema;
  if (!Array.isArray(value)) return { value };
  if (items === undefined) return value.length >= (schema.minItems ?? 0) ? { value } : undefined;
  const readings = value.map((item) => read(defs, items, item));
  const kept = readings.flatMap((reading) => reading ?? []);
  if (kept.length < readings.length && !schema['x-deserialize-skip-invalid-items']) return undefined;
  return kept.length >= (schema.minItems ?? 0) ? { value: kept.map((reading) => reading.value) } : undefined;
}

/** The names of the definitions that `roots` refer to, at any depth, with the roots. */
export function closure(defs: Defs, roots: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...roots];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const [, next] of JSON.stringify(defs[name]).matchAll(/"#\/\$defs\/(\w+)"/g))
      queue.push(next as string);
  }
  return found;
}
