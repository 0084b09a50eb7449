import { isJsonObject } from '../base/json.ts';
import { kindOf } from '../base/kind-of.ts';
import { eithers, enums, objects, unions } from './shape.ts';

/** What is wrong with a value, and where in it. */
export interface Fault {
  readonly path: (string | number)[];
  /** A predicate that follows the path. */
  readonly message: string;
}

type Table<T> = Readonly<Record<string, T>>;

interface AnyUnion {
  readonly by: string;
  readonly of: Table<string>;
  readonly other: string | undefined;
}

/**
 * Returns the first fault of a value of JSON.
 *
 * @param code - Its type, as the tables of `shape.ts` have it.
 */
export function faultOf(value: unknown, code: string): Fault | undefined {
  if (code.endsWith('?')) return value === undefined ? undefined : faultOf(value, code.slice(0, -1));
  if (value === undefined) return { path: [], message: 'is missing' };
  if (code.endsWith('|null')) return value === null ? undefined : faultOf(value, code.slice(0, -5));
  if (code.endsWith('[]')) return faultInList(value, code.slice(0, -2));
  if (code.startsWith('=')) return value === code.slice(1) ? undefined : mustBe(code.slice(1), value);
  const check = Object.hasOwn(simple, code) && simple[code];
  if (check) return check(value) ? undefined : mustBe(code, value);
  if (code in enums) return faultOfEnum(value, (enums as Table<object>)[code] ?? {});
  if (code in eithers) return faultOfEither(value, (eithers as Table<readonly string[]>)[code] ?? []);
  return faultInObject(value, code);
}

const simple: Table<(value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  object: isJsonObject,
  json: () => true,
};

function mustBe(what: string, value: unknown): Fault {
  return { path: [], message: `must be ${what}; got ${kindOf(value)}` };
}

function faultInList(value: unknown, code: string): Fault | undefined {
  return Array.isArray(value) ? faultInFields(value, [...value.keys()], () => code) : mustBe('array', value);
}

/** The fault of a part, with the path from the whole. */
function inPart(key: string | number, fault: Fault | undefined): Fault | undefined {
  fault?.path.unshift(key);
  return fault;
}

function faultOfEnum(value: unknown, known: object): Fault | undefined {
  return isKey(value, known) ? undefined : mustBe(`one of ${Object.keys(known).join(', ')}`, value);
}

function isKey(value: unknown, table: object): value is string {
  return typeof value === 'string' && Object.hasOwn(table, value);
}

/** The fault is that of the last type. */
function faultOfEither(value: unknown, codes: readonly string[]): Fault | undefined {
  const faults = codes.map((code) => faultOf(value, code));
  return faults.includes(undefined) ? undefined : faults.at(-1);
}

function faultInObject(value: unknown, code: string): Fault | undefined {
  if (!isJsonObject(value)) return mustBe('object', value);
  if (code.endsWith('{}')) return faultInFields(value, Object.keys(value), () => code.slice(0, -2));
  const union = (unions as Table<AnyUnion>)[code];
  const tag = union && value[union.by];
  const name = union ? (isKey(tag, union.of) ? union.of[tag] : union.other) : code;
  if (union && !name) return inPart(union.by, faultOfEnum(tag, union.of));
  const fields = (objects as Table<Table<string>>)[name ?? ''] ?? {};
  return faultInFields(value, Object.keys(fields), (key) => fields[key] ?? '');
}

/** @param codeOf - The type of the member with this key. */
function faultInFields<K extends string | number>(
  value: object,
  keys: readonly K[],
  codeOf: (key: K) => string,
): Fault | undefined {
  for (const key of keys) {
    const fault = faultOf(Object.hasOwn(value, key) ? value[key as never] : undefined, codeOf(key));
    if (fault) return inPart(key, fault);
  }
  return undefined;
}
