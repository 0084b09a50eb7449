import { clean, cleanOutput } from './clean.ts';
import type { DiffLine } from './patch-sections.ts';
import type { Span } from './spans.ts';

/**
 * A part of a section of a transcript: prose, a label, or a label with code or data. All strings are clean, and
 * none is escaped for a format.
 */
export interface Part {
  /** Markdown without fenced code. */
  readonly prose?: string;
  readonly label?: string;
  /** A `data:` URI of an image that is safe to show. */
  readonly image?: string;
  /** Verbatim text, such as code or the output of a program. */
  readonly spans?: Iterable<Span> | undefined;
  /** Language of the verbatim text. */
  readonly language?: string;
  /** The changes of a file. */
  readonly diff?: readonly DiffLine[];
  /** JSON, which can be shortened. */
  readonly data?: string;
}

/** A value as it is: a string verbatim, any other value as JSON. Empty for `null` and `undefined`. */
export function verbatim(label: string, value: unknown, language = ''): Part {
  if (value == null) return {};
  if (typeof value !== 'string') return { label, data: clean(value) };
  return { label, spans: [{ sgr: '', text: cleanOutput(value) }], language };
}

const maxLines = 20;
const maxLength = 2000;

/** The start of JSON, with a note about the rest. */
export function shortenedJson(json: string): string {
  const start = json.split('\n', maxLines).join('\n').slice(0, maxLength);
  return start.length < json.length ? `${start}\n… ${json.length - start.length} more characters` : json;
}
