/** How many of the first places of a list pass a test that none of the others passes. */
export function countWhile(length: number, passes: (place: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
