import type { Message } from './jsonrpc.ts';

/** How deep a message may be nested: deeper ones could be neither frozen nor cloned nor written again. */
export const maxDepth = 512;

/** What a text is that is no message. */
export type Defect = 'blank' | 'noise' | 'deep';

/** Reads one JSON message: an object, or an array of them, whose shape is checked above this layer. Never throws. */
export function parseMessage(line: string, levels = maxDepth): Message | Defect {
  // A byte order mark is no part of the text, and JSON.parse does not take it.
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
  // A text this short cannot be too deep, and most are.
  if (text.length > 2 * levels && isDeeper(value, levels)) return 'deep';
  // Message is the library's loose type for whatever JSON-RPC object comes.
  return value as Message;
}

function isDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof item === 'object' && item !== null && isDeeper(item, levels - 1)) return true;
  }
  return false;
}

/** What is wrong with a text that is no message, in words. */
export const defects: Readonly<Record<Exclude<Defect, 'blank'>, string>> = {
  noise: 'is not a JSON message',
  deep: `is nested deeper than ${maxDepth} levels, and was dropped`,
};
