/** Whether two JSON values are equal. Iterative, so that deep nesting does not overflow the stack. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b)) return false;
  const pending: object[] = [a, b];
  for (let right = pending.pop(); right; right = pending.pop()) {
    // Pushed in pairs.
    if (!shallowEqual(pending.pop() as object, right, pending)) return false;
  }
  return true;
}

/** Compares the keys and the primitive values. Adds pairs of objects that are left to compare to `pending`. */
function shallowEqual(a: object, b: object, pending: object[]): boolean {
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  // Counts keys instead of listing them: this runs for each update, and most values differ in an early key.
  let count = 0;
  for (const key in a) {
    const left: unknown = a[key as never];
    const right: unknown = b[key as never];
    if (left !== right) {
      if (!isObject(left) || !isObject(right)) return false;
      pending.push(left, right);
    }
    if (right === undefined && !Object.hasOwn(b, key)) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** Freezes a JSON value deeply. A value that is frozen already counts as deeply frozen. */
export function freeze<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (!isObject(next) || Object.isFrozen(next)) continue;
    if (Array.isArray(next)) {
      for (const item of next) if (isObject(item)) pending.push(item);
    } else {
      for (const key in next) {
        const part: unknown = next[key as never];
        if (isObject(part)) pending.push(part);
      }
    }
    Object.freeze(next);
  }
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
