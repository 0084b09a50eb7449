import type { FileEdit } from './history.ts';

/** Unchanged lines that are shown around a change. */
const contextLines = 3;

/**
 * An edit as version 2 wants it: Git's patch format, with absolute paths and no `a/` and `b/`.
 *
 * The patch has one hunk, from the first line that differs to the last: right, if not always the shortest.
 *
 * @see https://agentclientprotocol.com/protocol/v2/tool-calls
 */
export function gitPatch({ path, oldText, newText }: FileEdit): string {
  const name = quote(path);
  const header = [
    `diff --git ${name} ${name}`,
    ...(oldText === null ? ['new file mode 100644', '--- /dev/null'] : [`--- ${name}`]),
    `+++ ${name}`,
  ];
  return `${[...header, ...hunk(lines(oldText ?? ''), lines(newText))].join('\n')}\n`;
}

function hunk(before: readonly string[], after: readonly string[]): readonly string[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;

  const start = Math.max(0, head - contextLines);
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  const leading = before.slice(start, head);
  const trailing = before.slice(before.length - tail).slice(0, contextLines);
  const around = leading.length + trailing.length;
  return [
    `@@ -${range(start, around + removed.length)} +${range(start, around + added.length)} @@`,
    ...leading.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...trailing.map((line) => ` ${line}`),
  ];
}

/** Lines are counted from 1; an empty range names the line before it. */
function range(start: number, count: number): string {
  return count === 0 ? `${start},0` : `${start + 1},${count}`;
}

/** The lines of a file. One without a newline at its end carries Git's remark about it. */
function lines(text: string): readonly string[] {
  if (text === '') return [];
  const parts = text.split('\n');
  const last = parts.pop();
  return last === '' ? parts : [...parts, `${last}\n\\ No newline at end of file`];
}

/** A path with a byte that is not plain ASCII, a quote or a backslash is written as a C string. */
function quote(path: string): string {
  if (/^[ !#-[\]-~]*$/.test(path)) return path;
  const bytes = [...new TextEncoder().encode(path)].map((byte) => {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === '\\') return `\\${character}`;
    return byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, '0')}` : character;
  });
  return `"${bytes.join('')}"`;
}
