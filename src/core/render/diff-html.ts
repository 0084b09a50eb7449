import { escapeHtml } from './escape-html.ts';
import { type DiffLine, signs } from './patch-sections.ts';

const classes: Readonly<Record<DiffLine['change'], string>> = {
  same: '',
  added: 'add',
  removed: 'del',
  position: 'hunk',
  note: '',
};

/** The lines of a diff, each with its numbers in the old and in the new file, if they are known. */
export function diffHtml(lines: readonly DiffLine[]): string {
  const highest = lines.reduce((most, { oldLine, newLine }) => Math.max(most, oldLine ?? 0, newLine ?? 0), 0);
  const number = (line: number | null) => `${line ?? ''}`.padStart(`${highest}`.length);
  return lines
    .map(({ change, text, oldLine, newLine }) => {
      const isKnown = oldLine !== null || newLine !== null;
      const numbers = isKnown ? `<i>${number(oldLine)} ${number(newLine)} </i>` : '';
      const line = `${numbers}${escapeHtml(signs[change] + text)}\n`;
      const name = classes[change];
      return name ? `<span class="${name}">${line}</span>` : line;
    })
    .join('');
}
