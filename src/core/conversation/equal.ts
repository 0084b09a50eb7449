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

/**
 * Compares the primitive members. Adds pairs of objects that are left to compare to `pending`.
 *
 * Written out, and `freeze` as well: they run for each update, where a function for each member would be a large part
 * of the cost.
 */
function shallowEqual(a: object, b: object, pending: object[]): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && equalItems(a, b, pending);
  return !Array.isArray(b) && equalFields(a, b, pending);
}

function equalItems(a: readonly unknown[], b: readonly unknown[], pending: object[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) {
    if (!equalMembers(a[index], b[index], pending)) return false;
  }
  return true;
}

function equalFields(a: object, b: object, pending: object[]): boolean {
  // Counts keys instead of listing them: most values differ in an early key.
  let count = 0;
  for (const key in a) {
    if (!equalMembers(a[key as never], b[key as never], pending)) return false;
    count++;
  }
  // A key that is only inherited, such as `__proto__`, counts on one side alone.
  for (const key in b) if (!Object.hasOwn(a, key) || count-- === 0) return false;
  return count === 0;
}

function equalMembers(left: unknown, right: unknown, pending: object[]): boolean {
  if (left === right) return true;
  if (!isObject(left) || !isObject(right)) return false;
  pending.push(left, right);
  return true;
}

/** Freezes a JSON value deeply. A value that is frozen already counts as deeply frozen. */
export function freeze<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (!isObject(next) || Object.isFrozen(next)) continue;
    // `for…in` over an array makes a string of each index, see `someMember`.
    if (Array.isArray(next))
      for (let index = 0; index < next.length; index++) keepObject(next[index], pending);
    else for (const key in next) keepObject(next[key as never], pending);
    Object.freeze(next);
  }
  return value;
}

function keepObject(member: unknown, pending: unknown[]): void {
  if (isObject(member)) pending.push(member);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
