import { diffArrays } from 'diff';

/** An item of either list, or of both. */
export type Aligned<Item> = readonly [left: Item | undefined, right: Item | undefined];

/** More differences are not searched for: the rest is aligned in its order. */
const maxEdits = 4000;

/**
 * Puts what is the same in two lists beside each other. The first key says what is exactly the same. What lies between two
 * such items is aligned by the next key, and so on. Items keep their order.
 */
export function align<Item>(
  left: readonly Item[],
  right: readonly Item[],
  keys: readonly ((item: Item) => string)[],
): readonly Aligned<Item>[] {
  const [key, ...otherKeys] = keys;
  if (!key || left.length === 0 || right.length === 0) {
    return [
      ...left.map((item): Aligned<Item> => [item, undefined]),
      ...right.map((item): Aligned<Item> => [undefined, item]),
    ];
  }
  const parts = diffArrays(left.map(key), right.map(key), { maxEditLength: maxEdits });
  if (!parts) return otherKeys.length > 0 ? align(left, right, otherKeys) : inOrder(left, right);
  const aligned: Aligned<Item>[] = [];
  // Where what is not aligned yet begins, and where it ends.
  const from = { left: 0, right: 0 };
  const to = { left: 0, right: 0 };
  const closeGap = () => {
    const gap = align(left.slice(from.left, to.left), right.slice(from.right, to.right), otherKeys);
    for (const pair of gap) aligned.push(pair);
  };
  for (const { count = 0, added, removed } of parts) {
    if (removed) to.left += count;
    else if (added) to.right += count;
    else {
      closeGap();
      for (let item = 0; item < count; item++) aligned.push([left[to.left++], right[to.right++]]);
      Object.assign(from, to);
    }
  }
  closeGap();
  return aligned;
}

function inOrder<Item>(left: readonly Item[], right: readonly Item[]): readonly Aligned<Item>[] {
  const count = Math.max(left.length, right.length);
  return Array.from({ length: count }, (_, place): Aligned<Item> => [left[place], right[place]]);
}
