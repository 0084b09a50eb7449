import { printable } from '../base/printable.ts';

/**
 * Any value as text that is safe to show, see `printable`. Values other than strings are shown as JSON. Line and
 * paragraph separators become line feeds, because some viewers start a line at them.
 */
export function clean(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : json(value);
  return printable(text).replace(/[\u2028\u2029]/g, '\n');
}

/**
 * The lines as a terminal shows them: of a line that was overwritten after a carriage return, its last text.
 */
export function asInTerminal(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.split('\n').map((line) => line.slice(line.trimEnd().lastIndexOf('\r') + 1));
  return lines.join('\n');
}

/** As {@link clean}, for text that can be what a program printed. */
export function cleanOutput(value: unknown): string {
  return clean(typeof value === 'string' ? asInTerminal(value) : value);
}

/**
 * Text of an agent or of a program without what a terminal or a page would act on: escape sequences, control characters
 * except tab and line feed, and invisible characters. U+FFFD replaces characters that change the direction of the text.
 * It does not escape HTML.
 *
 * @example
 * ```ts
 * pre.textContent = plainText(terminal.output);
 * ```
 */
export function plainText(text: string): string {
  return clean(text);
}

/** Clean values on one line. Omits `null` and `undefined`. */
export function cleanLine(...values: readonly unknown[]): string {
  return values.map(clean).join(' ').replace(/\s+/g, ' ').trim();
}

/** Longer JSON is not indented: indentation can make it a hundred times longer. */
const maxIndentedLength = 100_000;

/** Deeper values are omitted, because `JSON.stringify` is recursive. */
const maxDepth = 64;

function json(value: unknown): string {
  const shallow = withoutDeepValues(value, maxDepth);
  const compact = JSON.stringify(shallow) ?? '';
  return compact.length > maxIndentedLength ? compact : JSON.stringify(shallow, null, 2);
}

function withoutDeepValues(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (Array.isArray(value)) return value.map((item) => withoutDeepValues(item, depth - 1));
  // Object.fromEntries defines its keys, so that one named __proto__ stays data.
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, withoutDeepValues(part, depth - 1)]),
  );
}
