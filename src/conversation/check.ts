import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { kindOf } from '../base/kind-of.ts';

/** What is wrong with a value, and where in it. */
export interface Fault {
  readonly path: (string | number)[];
  /** A predicate that follows the path. */
  readonly message: string;
}

/**
 * Returns the first fault of a value of JSON. A value without a fault is of the type `T`: the compiler refuses a check
 * of another type, also of a wider or a narrower one. A field that may be absent is checked as `undefined`.
 */
export interface Check<in out T> {
  (value: unknown): Fault | undefined;
  /** Never there. */
  readonly of?: (value: T) => T;
}

/** A type without parts, such as a string. `what` is how a message names it. */
function plain<T>(what: string, holds: (value: unknown) => boolean): Check<T> {
  return (value) => (holds(value) ? undefined : fault(what, value));
}

function fault(what: string, value: unknown): Fault {
  return { path: [], message: value === undefined ? 'is missing' : `must be ${what}; got ${kindOf(value)}` };
}

/** The fault of a part, as one of the whole. */
function inPart(key: string | number, found: Fault | undefined): Fault | undefined {
  found?.path.unshift(key);
  return found;
}

const isString = (value: unknown) => typeof value === 'string';

export const text: Check<string> = plain('a string', isString);
export const number: Check<number> = plain('a number', (value) => typeof value === 'number');
export const flag: Check<boolean> = plain('true or false', (value) => typeof value === 'boolean');
export const jsonObject: Check<JsonObject> = plain('an object', isJsonObject);
export const json: Check<JsonValue> = plain('a value', (value) => value !== undefined);

/** A string of a list that later versions of the protocol extend. */
export function openText<T extends string>(): Check<T> {
  return plain('a string', isString);
}

/** One of a few strings. */
export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  return plain(`one of ${values.join(', ')}`, (value) => values.some((known) => known === value));
}

export function optional<T>(check: Check<T>): Check<T | undefined> {
  return (value) => (value === undefined ? undefined : check(value));
}

export function orNull<T>(check: Check<T>): Check<T | null> {
  return (value) => (value === null ? undefined : check(value));
}

export function nullish<T>(check: Check<T>): Check<T | null | undefined> {
  return optional(orNull(check));
}

export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return fault('an array', value);
    for (let index = 0; index < value.length; index++) {
      const found = check(value[index]);
      if (found) return inPart(index, found);
    }
    return undefined;
  };
}

/** An object whose keys are ids. */
export function byId<T>(check: Check<T>): Check<Readonly<Record<string, T>>> {
  return (value) => {
    if (!isJsonObject(value)) return fault('an object', value);
    for (const [id, part] of Object.entries(value)) {
      const found = check(part);
      if (found) return inPart(id, found);
    }
    return undefined;
  };
}

/** A check for each field of a type. Other fields are of later versions, and stay. */
export type Fields<T> = { readonly [K in keyof T]-?: Check<T[K]> };

export function object<T>(fields: Fields<T>): Check<T> {
  const checks = Object.entries<Check<never>>(fields as never);
  return (value) => {
    if (!isJsonObject(value)) return fault('an object', value);
    for (const [key, check] of checks) {
      const found = check(Object.hasOwn(value, key) ? value[key] : undefined);
      if (found) return inPart(key, found);
    }
    return undefined;
  };
}

/** The types of a union that a tag tells apart. */
type Variants<T, K extends keyof T, Tag extends T[K]> = {
  readonly [V in Tag & string]: Fields<Omit<Extract<T, { readonly [P in K]: V }>, K>>;
};

/** One of the types of a union. */
export function variant<T, const K extends keyof T & string>(
  tag: K,
  variants: Variants<T, K, T[K]>,
): Check<T> {
  const known = oneOf(...Object.keys(variants));
  return tagged(tag, variants as never, (value) => inPart(tag, known(value[tag])));
}

/** The tags of a union that are no `_…`. */
type KnownTag<T extends { readonly type: string }> = Exclude<T['type'], `_${string}`>;

/** One of the types of a union that later versions of the protocol extend. `others` is for a type that is not known. */
export function openVariant<T extends { readonly type: string }>(
  variants: Variants<T, 'type', KnownTag<T>>,
  others: object = {},
): Check<T> {
  const other = object({ type: text, ...others } as Fields<object>);
  return tagged('type', variants as never, other);
}

function tagged(
  tag: string,
  variants: Readonly<Record<string, Fields<object>>>,
  others: (value: JsonObject) => Fault | undefined,
): (value: unknown) => Fault | undefined {
  const checks = new Map(Object.entries(variants).map(([name, fields]) => [name, object(fields)]));
  return (value) => {
    if (!isJsonObject(value)) return fault('an object', value);
    return (checks.get(value[tag] as string) ?? others)(value);
  };
}

/** One of two types. The message is about the second one. */
export function either<A, B>(first: Check<A>, second: Check<B>): Check<A | B> {
  return (value) => (first(value) ? second(value) : undefined);
}
