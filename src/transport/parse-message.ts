/** How deep a message may be nested. A deeper one could not be frozen, cloned or written as JSON. */
export const maxDepth = 512;

/** Why a text is not a message. */
export type Defect = 'blank' | 'noise' | 'deep';

/** Parses one JSON message: an object, or an array of messages. Their members are not checked. Never throws. */
export function parseMessage(line: string, levels = maxDepth): object | Defect {
  // JSON.parse does not accept a byte order mark.
  const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
  const first = text.trimStart()[0];
  if (first === undefined) return 'blank';
  if (first !== '{' && first !== '[') return 'noise';
  let value: object;
  try {
    value = JSON.parse(text);
  } catch {
    return 'noise';
  }
  // A shorter text cannot be too deep. Most texts are shorter.
  if (text.length > 2 * levels && isDeeper(value, levels)) return 'deep';
  return value;
}

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  for (const key in value) {
    const item: unknown = value[key as never];
    if (typeof item === 'object' && item !== null && isDeeper(item, levels - 1)) return true;
  }
  return false;
}

/** What is wrong with a text, as the predicate of a sentence. */
export const defects: Readonly<Record<Exclude<Defect, 'blank'>, string>> = {
  noise: 'is not a JSON message',
  deep: `is nested deeper than ${maxDepth} levels, and was dropped`,
};
