import { isJsonObject } from '../json.ts';

/** How much of a text that is too long stays, in characters: enough to tell what it was. */
const keptLength = 1024;

/**
 * A message without its long texts: of each that is longer than `maxTextLength`, in characters, the beginning stays,
 * and how much was left out. Gives the very message back where nothing is too long.
 */
export function shorten(message: unknown, maxTextLength: number): unknown {
  if (maxTextLength === Number.POSITIVE_INFINITY) return message;
  return shortened(message, maxTextLength);
}

function shortened(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return value.length > limit ? beginning(value, limit) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => shortened(item, limit));
    return items.every((item, place) => item === value[place]) ? value : items;
  }
  if (!isJsonObject(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const key of Object.keys(value)) {
    const held = shortened(value[key], limit);
    if (held === value[key]) continue;
    changed ??= { ...value };
    changed[key] = held;
  }
  return changed ?? value;
}

function beginning(text: string, limit: number): string {
  const kept = text.slice(0, Math.min(keptLength, limit)).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… [${text.length - kept.length} more characters were left out of this trace]`;
}
