/** Whether two JSON values say the same. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => equal(item, b[at]));
  }
  if (Array.isArray(b)) return false;
  // Counted, not listed: this runs for every update, and mostly finds a difference at once.
  let count = 0;
  for (const key in a) {
    if (!Object.hasOwn(b, key) || !equal(a[key as never], b[key as never])) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** Freezes a JSON value and all that is in it. What is frozen already is taken to be frozen through. */
export function freeze<T>(value: T): T {
  if (isObject(value)) freezeParts(value);
  return value;
}

function freezeParts(value: object): void {
  if (Object.isFrozen(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) if (isObject(item)) freezeParts(item);
  } else {
    for (const key in value) {
      const part: unknown = value[key as never];
      if (isObject(part)) freezeParts(part);
    }
  }
  Object.freeze(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
