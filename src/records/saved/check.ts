import { isJsonObject, type JsonObject } from '../../core/base/json.ts';
import { kindOf } from '../../core/base/kind-of.ts';
import shape from './shape.json' with { type: 'json' };

/** What is wrong with a value, and where in it. */
export interface Fault {
  readonly path: (string | number)[];
  /** A predicate that follows the path. */
  readonly message: string;
}

/** What the schema of a conversation uses of JSON Schema. */
interface Schema {
  /** The name of a definition. */
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Table;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema;
  /** The last one says what is wrong. */
  readonly anyOf?: readonly Schema[];
  /** A union that its only property tells apart. The last member is for values that the others are not for. */
  readonly oneOf?: readonly Schema[];
}

type Table = Readonly<Record<string, Schema>>;

/** The compiler knows the types of all of them, which no code needs. */
const definitions: Table = shape;

/** The first fault in the types of a value of JSON that is to be a conversation. */
export function faultInTypes(value: unknown): Fault | undefined {
  return faultOf(value, { $ref: 'Conversation' });
}

function faultOf(value: unknown, reference: Schema): Fault | undefined {
  const schema = resolved(reference);
  const { type, const: only, enum: known, anyOf, items } = schema;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  if (type !== undefined && type !== kind && !(Array.isArray(type) && type.includes(kind))) {
    return mustBe(String(type).replace(',', ' or '), value);
  }
  if (only !== undefined && value !== only) return mustBe(only, value);
  if (known && !known.some((each) => each === value)) return mustBe(`one of ${known.join(', ')}`, value);
  if (anyOf) return faultOfAny(value, anyOf);
  if (items && Array.isArray(value)) return faultInParts(value, value.keys(), items);
  return isJsonObject(value) ? faultInObject(value, schema) : undefined;
}

function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (definitions[schema.$ref] ?? {});
}

function mustBe(what: string, value: unknown): Fault {
  return { path: [], message: value === undefined ? 'is missing' : `must be ${what}; got ${kindOf(value)}` };
}

function faultOfAny(value: unknown, schemas: readonly Schema[]): Fault | undefined {
  let fault: Fault | undefined;
  for (const schema of schemas) {
    fault = faultOf(value, schema);
    if (!fault) return undefined;
  }
  return fault;
}

function faultInObject(value: JsonObject, schema: Schema): Fault | undefined {
  const { properties = {}, required, additionalProperties, oneOf } = schema;
  let tag = '';
  for (const key of Object.keys(properties)) {
    if (!Object.hasOwn(value, key) && !required?.includes(key)) continue;
    const fault = faultIn(value, key, properties[key]);
    if (fault) return fault;
    tag = key;
  }
  if (oneOf) {
    const isOwn = (member: Schema) => resolved(member).properties?.[tag]?.const === value[tag];
    return faultOf(value, oneOf.find(isOwn) ?? oneOf.at(-1) ?? {});
  }
  return additionalProperties && faultInParts(value, Object.keys(value), additionalProperties);
}

function faultInParts(value: object, keys: Iterable<string | number>, schema: Schema): Fault | undefined {
  for (const key of keys) {
    const fault = faultIn(value, key, schema);
    if (fault) return fault;
  }
  return undefined;
}

function faultIn(value: object, key: string | number, schema: Schema = {}): Fault | undefined {
  // An object or a list, by one of its own keys.
  const fault = faultOf(value[key as never], schema);
  fault?.path.unshift(key);
  return fault;
}
