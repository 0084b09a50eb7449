/** A line of a diff. `text` starts with the sign. */
export interface Line {
  readonly change: 'same' | 'added' | 'removed' | 'position';
  readonly text: string;
}

const changes: Readonly<Record<string, Line['change']>> = { '+': 'added', '-': 'removed', '@': 'position' };
const lineOf = (text: string): Line => ({ change: changes[text.charAt(0)] ?? 'same', text });

/** The lines of a patch in the format of Git, without its headers. */
export function patchLines(patch: string): readonly Line[] {
  const lines = patch.trimEnd().split('\n');
  return lines
    .slice(
      Math.max(
        0,
        lines.findIndex((line) => line.startsWith('@@')),
      ),
    )
    .map(lineOf);
}

/** The difference between two texts, as one changed range. */
export function diffLines(oldText: string, newText: string): readonly Line[] {
  const before = splitLines(oldText);
  const after = splitLines(newText);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const signed = (sign: string, lines: readonly string[]) => lines.map((line) => lineOf(sign + line));
  return [
    ...signed(' ', after.slice(0, start)),
    ...signed('-', before.slice(start, before.length - end)),
    ...signed('+', after.slice(start, after.length - end)),
    ...signed(' ', after.slice(after.length - end)),
  ];
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
