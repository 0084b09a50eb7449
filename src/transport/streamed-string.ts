import { decodeUtf8, encodeUtf8, holdsAt } from './lines.ts';

/** Longer values are not worth it: there is more in them than one string. */
const maxLength = 4096;

/** Of so many values that are not like the one before, the first few are compared with it. */
const searchEvery = 32;
const searchesInARow = 8;

/** What stands for the string while its place is looked for. */
const marker = '\u0000';
const markerText = JSON.stringify(marker);

type Parts = { [key: string]: unknown };

interface Form {
  /** The line up to the string, with its first quote; and after it, with its last. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly value: Parts;
  /** Where the string stands in the value. */
  readonly path: readonly string[];
}

/**
 * Knows the value of the last line but for one string, so that of the next line only that string is parsed. What an
 * agent streams are lines that differ in a piece of text alone, and such a line is read in a third of the time.
 *
 * Between a beginning and an end that make a value around one string, any other string makes a value as well: the
 * same but for it. Where what stands between is no string, or no such form is known, a parse of the whole decides.
 */
export class StreamedString {
  #last = '';
  #form: Form | undefined;
  /** How many values in a row were not like the one before. */
  #strangers = 0;

  /** Learns from a value that was parsed: how it differs from the one before, and what stands around it on the line. */
  learn(lineStart: string, text: string, lineEnd: string): void {
    const last = this.#last;
    this.#last = text;
    // Where nothing is streamed the search is seldom worth its time.
    if (text.length > maxLength || this.#strangers++ % searchEvery >= searchesInARow) return;
    const form = formOf(last, text);
    if (!form) return;
    this.#strangers = 0;
    this.#form = {
      before: encodeUtf8(lineStart + text.slice(0, form.start + 1)),
      after: encodeUtf8(text.slice(form.end) + lineEnd),
      ...form,
    };
  }

  /** The value in a line; nothing if the line is not as known. */
  read(bytes: Uint8Array, lineStart: number, lineEnd: number): object | undefined {
    const form = this.#form;
    if (!form) return undefined;
    const start = lineStart + form.before.length - 1;
    const end = lineEnd - form.after.length + 1;
    if (end < start + 2) return undefined;
    if (!holdsAt(bytes, end - 1, form.after) || !holdsAt(bytes, lineStart, form.before)) return undefined;
    try {
      return replaced(form.value, form.path, 0, JSON.parse(decodeUtf8(bytes, start, end)));
    } catch {
      return undefined;
    }
  }
}

/** Where two values differ in one string alone: its quotes in `text`, and its place in the value. */
function formOf(last: string, text: string) {
  let same = 0;
  while (same < last.length && last.charCodeAt(same) === text.charCodeAt(same)) same++;
  const start = text.lastIndexOf('"', same - 1);
  // The quote that begins a key's value, and not one that ends a key. Which of them it is the parse below proves.
  if (start < 1 || text[start - 1] !== ':') return undefined;
  const end = text.indexOf('"', start + 1);
  if (end === -1 || !last.endsWith(text.slice(end)) || text.includes(markerText)) return undefined;
  try {
    const value: Parts = JSON.parse(text.slice(0, start) + markerText + text.slice(end + 1));
    const path = pathTo(value);
    return path && { start, end, value, path };
  } catch {
    return undefined;
  }
}

/** Where the marker stands in a value. */
function pathTo(value: unknown): string[] | undefined {
  if (value === marker) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const path = pathTo(part);
    // To set a key of this name would be to set the prototype.
    if (path && key !== '__proto__') return [key, ...path];
  }
  return undefined;
}

/** A copy of a value with another string in its place. What else is in it is shared. */
function replaced(value: Parts, path: readonly string[], depth: number, text: string): Parts {
  // An array is its parts by their index; `slice` and a spread copy each kind without a look at its keys.
  const copy = Array.isArray(value) ? (value.slice() as unknown as Parts) : { ...value };
  const key = path[depth] as string;
  // Down to the string there is an object at every step: the path was found in this very value.
  copy[key] = depth + 1 === path.length ? text : replaced(copy[key] as Parts, path, depth + 1, text);
  return copy;
}
