/** How deep a value of a timeline is. `JSON.stringify` fails with one that is some thousand deep. */
export const maxDepth = 500;

const cut = `(deeper than ${maxDepth} levels: not shown)`;

/** A value without what is deeper than the limit. The same value if nothing is. */
export function shallow<T>(value: T): T {
  // The result has the parts of the value, and texts where a part was too deep.
  return isDeeper(value, maxDepth) ? (withoutDeeper(value, maxDepth) as T) : value;
}

function hasParts(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Goes through one level after the other: a value can be deeper than the stack. */
function isDeeper(value: unknown, depth: number): boolean {
  let level = [value].filter(hasParts);
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true;
    level = level.flatMap((each) => Object.values(each).filter(hasParts));
  }
  return false;
}

function withoutDeeper(value: unknown, depth: number): unknown {
  if (!hasParts(value)) return value;
  if (depth === 0) return cut;
  if (Array.isArray(value)) return value.map((part) => withoutDeeper(part, depth - 1));
  // Object.fromEntries defines its keys, so that one named __proto__ stays data.
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withoutDeeper(part, depth - 1)]),
  );
}
