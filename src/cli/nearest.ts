/** The one of `names` that is most like `given`, if one is like it at all: for a hint after a slip of the fingers. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map((name) => ({ name, distance: distance(given.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
}

/** How many letters must be put in, taken out or exchanged to make one word of the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (let column = 0; column < to.length; column++) {
      const [above, left, corner] = [row[column + 1] ?? 0, next[column] ?? 0, row[column] ?? 0];
      next.push(Math.min(above + 1, left + 1, corner + (letter === to[column] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
