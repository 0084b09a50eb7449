import { decodeUtf8, encodeUtf8, holdsAt } from './lines.ts';

/** Longer values are not compared: they rarely differ in one string. In UTF-16 code units. */
const maxLength = 4096;

/** While values differ in more than one string, only the first few of each group are compared with the one before. */
const groupSize = 32;
const comparisonsPerGroup = 8;

/** Replaces the string while its path in the value is searched. */
const marker = '\u0000';
const markerText = JSON.stringify(marker);

type Parts = { [key: string]: unknown };

interface Form {
  /** The line before the string, with the opening quote, and after it, with the closing quote. */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
  readonly value: Parts;
  /** The keys that lead to the string. */
  readonly path: readonly string[];
}

/**
 * Reads lines that differ from the line before in one string: only that string is parsed. Streamed text has such lines.
 * Reading one takes a third of the time.
 *
 * If a line has a known beginning and end, and one JSON string between them, its value is the known one with that string
 * replaced. Any other line is parsed as a whole.
 */
export class StreamedString {
  #last = '';
  #form: Form | undefined;
  /** How many values in a row differed from the one before in more than one string. */
  #differing = 0;

  /** Compares a parsed value with the one before. `lineStart` and `lineEnd` are the rest of its line. */
  learn(lineStart: string, text: string, lineEnd: string): void {
    const last = this.#last;
    this.#last = text;
    // Where nothing is streamed, a comparison rarely pays off.
    if (text.length > maxLength || this.#differing++ % groupSize >= comparisonsPerGroup) return;
    const form = formOf(last, text);
    if (!form) return;
    this.#differing = 0;
    this.#form = {
      before: encodeUtf8(lineStart + text.slice(0, form.start + 1)),
      after: encodeUtf8(text.slice(form.end) + lineEnd),
      ...form,
    };
  }

  /** Returns the value on a line, or `undefined` if the line has another form. */
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

/** Finds the one string in which two values differ: the indexes of its quotes in `text`, and its path in the value. */
function formOf(last: string, text: string) {
  let same = 0;
  while (same < last.length && last.charCodeAt(same) === text.charCodeAt(same)) same++;
  const start = text.lastIndexOf('"', same - 1);
  // This should be the opening quote of a value and not a quote of a key. The parse below checks it.
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

/** Finds the path to the marker in a value. */
function pathTo(value: unknown): string[] | undefined {
  if (value === marker) return [];
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const path = pathTo(part);
    // Setting a key of this name would set the prototype.
    if (path && key !== '__proto__') return [key, ...path];
  }
  return undefined;
}

/** Copies a value with another string at `path`. The rest of the value is shared. */
function replaced(value: Parts, path: readonly string[], depth: number, text: string): Parts {
  // An array has its items by index. `slice` copies it without reading keys.
  const copy = Array.isArray(value) ? (value.slice() as unknown as Parts) : { ...value };
  const key = path[depth] as string;
  // The path was found in this value, so that each step but the last is an object.
  copy[key] = depth + 1 === path.length ? text : replaced(copy[key] as Parts, path, depth + 1, text);
  return copy;
}
