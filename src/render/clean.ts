import { printable } from '../printable.ts';

/**
 * Any value as text that cannot act where it is shown: no escape sequences, no control characters but tab and
 * line feed, U+FFFD for those that reorder text. What is no string is shown as JSON.
 */
export function clean(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : json(value);
  return printable(text);
}

/** The same on one line, of those values that are there. */
export function cleanLine(...values: readonly unknown[]): string {
  return values.map(clean).join(' ').replace(/\s+/g, ' ').trim();
}

function json(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return '…'; // nested too deep for it
  }
}
