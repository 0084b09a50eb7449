import { someMember } from '../base/json.ts';

/** How deep a message may be nested. A deeper one could not be frozen, cloned or written as JSON. */
export const maxDepth = 512;

/**
 * How many objects, arrays and strings a message may have, its keys included. Each can take 200 bytes of memory for
 * three bytes of text, so that the length of a message alone does not limit its memory.
 */
export const maxParts = 2_000_000;

/** Why a text is not a message. */
export type Defect = 'blank' | 'noise' | 'deep' | 'crowded';

/** Parses one JSON message: an object, or an array of messages. Their members are not checked. Never throws. */
export function parseMessage(line: string, levels = maxDepth): object | Defect {
  // JSON.parse does not accept a byte order mark.
  const text = line.charCodeAt(0) === 0xfeff ? line.slice(1) : line;
  const first = text.trimStart()[0];
  if (first === undefined) return 'blank';
  if (first !== '{' && first !== '[') return 'noise';
  if (text.length > maxParts && hasMoreParts(text, maxParts)) return 'crowded';
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

/** Level by level: V8 takes tens of milliseconds to compile functions that call each other. */
function isDeeper(value: object, levels: number): boolean {
  let parents: readonly object[] = [value];
  for (let level = 0; level < levels; level++) {
    const children: object[] = [];
    const keep = (member: unknown) => typeof member === 'object' && member !== null && !children.push(member);
    for (const parent of parents) someMember(parent, keep);
    if (children.length === 0) return false;
    parents = children;
  }
  return true;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const openBrace = 0x7b;

/** Counts before the text is parsed: parsing takes the memory. */
export function hasMoreParts(text: string, limit: number): boolean {
  let parts = 0;
  for (let at = 0; at < text.length && parts <= limit; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    if (code === quote || code === openBracket || code === openBrace) parts++;
  }
  return parts > limit;
}

/** The index of the quote that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** What is wrong with a text, as the predicate of a sentence. */
export const defects: Readonly<Record<Exclude<Defect, 'blank'>, string>> = {
  noise: 'is not a JSON message',
  deep: `is nested deeper than ${maxDepth} levels, and was dropped`,
  crowded: `has more than ${maxParts} objects, arrays and texts, and was dropped`,
};
