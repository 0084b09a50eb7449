/** A value that `JSON.parse` can return. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/**
 * Calls `test` with the members of an array or object until it returns `true`. Returns whether it did.
 *
 * `for…in` over an array makes a string of each index before it begins: a message of 50 million numbers then takes
 * gigabytes.
 */
export function someMember(
  container: object,
  test: (member: unknown, key: string | number) => boolean,
): boolean {
  if (Array.isArray(container)) {
    for (let index = 0; index < container.length; index++) if (test(container[index], index)) return true;
    return false;
  }
  for (const key in container) if (test(container[key as never], key)) return true;
  return false;
}

/** Whether `value` is an object in the JSON sense: not `null`, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy of the object without the keys whose value is `undefined` or `null`. */
export function omitNullish<T extends object>(object: T): { [K in keyof T]?: NonNullable<T[K]> } {
  // The copy has a subset of the entries.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value != null)) as never;
}

/** The value at a path of names and indexes. `undefined` if there is none. */
export function valueAt(root: unknown, path: readonly (string | number)[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = value[key as never];
  }
  return value;
}

/** Sets a member of an object or a list, whatever its name is. An agent can use `__proto__` as a name. */
export function setOwn(container: object, key: string | number, value: unknown): void {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The id of a request. `1` and `"1"` are different ids. */
export type RequestId = string | number;

export function isRequestId(id: unknown): id is RequestId {
  // JSON reads 1e999 as Infinity, which it cannot write.
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
}
