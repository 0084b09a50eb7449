import { TextBuffer } from '../conversation/text-buffer.ts';
import { escapeHtml } from './escape-html.ts';

/** Starts of a hunk: the first lines in the old and in the new file. */
const hunk = /^@@ -(\d{1,7})(?:,\d+)? \+(\d{1,7})(?:,\d+)? @@/;

const classes: Readonly<Record<string, string>> = { '+': 'add', '-': 'del', '@': 'hunk' };

/** The lines of a diff, each with its numbers in the old and in the new file. Lines before the first hunk have none. */
export function diffHtml(diff: string): string {
  const result = new TextBuffer();
  const columns = `${diff.split('\n').length + lastStart(diff)}`.length;
  const number = (line: number | undefined) => `${line ?? ''}`.padStart(columns);
  let oldLine: number | undefined;
  let newLine = 0;
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const [, oldStart, newStart] = hunk.exec(line) ?? [];
    const mark = line.charAt(0);
    const name = classes[mark];
    let numbers = '';
    if (oldStart !== undefined) {
      oldLine = Number(oldStart);
      newLine = Number(newStart);
    } else if (oldLine !== undefined && mark !== '\\') {
      const before = mark === '+' ? undefined : oldLine++;
      const after = mark === '-' ? undefined : newLine++;
      numbers = `<i>${number(before)} ${number(after)} </i>`;
    }
    const text = `${numbers}${escapeHtml(line)}\n`;
    result.push(name ? `<span class="${name}">${text}</span>` : text);
  }
  return result.take();
}

/** The highest line at which a hunk starts. */
function lastStart(diff: string): number {
  let last = 0;
  for (const [, oldStart, newStart] of diff.matchAll(new RegExp(hunk, 'gm'))) {
    last = Math.max(last, Number(oldStart), Number(newStart));
  }
  return last;
}
