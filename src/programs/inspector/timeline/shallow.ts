/** How deep a value of a timeline is. `JSON.stringify` fails with one that is some thousand deep. */
export const maxDepth = 500;

const cut = `(deeper than ${maxDepth} levels: not shown)`;

/** A value without what is deeper than the limit. The same value if nothing is. */
export function shallow<T>(value: T): T {
  // The result has the parts of the value, and texts where a part was too deep.
  return isDeeper(value, maxDepth) ? (withoutDeeper(value, maxDepth) as T) : value;
}

/** Goes through one level after the other: a value can be deeper than the stack. */
function isDeeper(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const part of Object.values(each)) if (typeof part === 'object' && part !== null) next.push(part);
    }
    level = next;
  }
  return false;
}

function withoutDeeper(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return cut;
  if (Array.isArray(value)) return value.map((part) => withoutDeeper(part, depth - 1));
  // Object.fromEntries defines its keys, so that one named __proto__ stays data.
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withoutDeeper(part, depth - 1)]),
  );
}
