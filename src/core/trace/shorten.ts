import { mapMembers } from '../base/secrets.ts';

/** The number of characters that remain of a long text. */
const keptLength = 1024;

/**
 * Replaces each string longer than `maxTextLength` characters by its start and the number of characters that were
 * removed. Returns the same message if no string is longer.
 */
export function shorten(message: unknown, maxTextLength: number): unknown {
  // The inspector keeps whole messages.
  if (maxTextLength === Number.POSITIVE_INFINITY) return message;
  if (typeof message !== 'string') return mapMembers(message, (member) => shorten(member, maxTextLength));
  return message.length > maxTextLength ? startOf(message, maxTextLength) : message;
}

function startOf(text: string, limit: number): string {
  const kept = text.slice(0, Math.min(keptLength, limit)).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… [${text.length - kept.length} more characters were left out of this trace]`;
}
