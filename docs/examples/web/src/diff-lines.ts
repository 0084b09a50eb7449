export interface Line {
  readonly change: 'same' | 'added' | 'removed' | 'place';
  readonly text: string;
}

const prefixes: Readonly<Record<string, Line['change']>> = {
  '+': 'added',
  '-': 'removed',
  '@': 'place',
  ' ': 'same',
};

/** The lines of a patch in the format of Git, less its headers, which the caption says already. */
export function patchLines(patch: string): readonly Line[] {
  const lines = patch.replace(/\n$/, '').split('\n');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return lines
    .slice(Math.max(first, 0))
    .map((text) => ({ change: prefixes[text[0] ?? ' '] ?? 'place', text }));
}

/** What differs between two texts, taken as one stretch: enough for the small edits that agents make. */
export function diffLines(oldText: string, newText: string): readonly Line[] {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end))
    end++;
  const line = (change: Line['change'], sign: string) => (text: string) => ({
    change,
    text: `${sign}${text}`,
  });
  return [
    ...after.slice(0, start).map(line('same', ' ')),
    ...before.slice(start, before.length - end).map(line('removed', '-')),
    ...after.slice(start, after.length - end).map(line('added', '+')),
    ...after.slice(after.length - end).map(line('same', ' ')),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
