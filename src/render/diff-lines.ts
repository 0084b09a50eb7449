const CONTEXT_LINES = 3;

/**
 * The change from one text to another, as one hunk of a diff: what both begin and end with is left out, but for
 * three lines of context. Not the shortest, but found in linear time.
 */
export function diffLines(oldText: string, newText: string): string {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  const head = sharedLength(before, after);
  const tail = sharedLength(before.slice(head).reverse(), after.slice(head).reverse());
  const from = Math.max(0, head - CONTEXT_LINES);
  const removed = before.length - tail;
  const marked = (mark: string, lines: string[]): string[] =>
    lines.map((line) => mark + line.replace('\n', ''));
  return [
    `@@ line ${from + 1} @@`,
    ...marked(' ', before.slice(from, head)),
    ...marked('-', before.slice(head, removed)),
    ...marked('+', after.slice(head, after.length - tail)),
    ...marked(' ', before.slice(removed, removed + CONTEXT_LINES)),
  ].join('\n');
}

/** Lines with their line feeds, so that one at the end counts. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function sharedLength(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}
