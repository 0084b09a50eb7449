import { someMember } from '../json.ts';

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
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  }
  // Counts keys instead of listing them: this runs for each update, and most values differ in an early key.
  let count = 0;
  const differs = someMember(a, (left, key) => {
    const right: unknown = b[key as never];
    if (left !== right) {
      if (!isObject(left) || !isObject(right)) return true;
      pending.push(left, right);
    }
    count++;
    return right === undefined && !Object.hasOwn(b, key);
  });
  if (differs) return false;
  someMember(b, () => {
    count--;
    return false;
  });
  return count === 0;
}

/** Freezes a JSON value deeply. A value that is frozen already counts as deeply frozen. */
export function freeze<T>(value: T): T {
  const pending: unknown[] = [value];
  const keep = (member: unknown) => {
    if (isObject(member)) pending.push(member);
    return false;
  };
  while (pending.length > 0) {
    const next = pending.pop();
    if (!isObject(next) || Object.isFrozen(next)) continue;
    someMember(next, keep);
    Object.freeze(next);
  }
  return value;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
