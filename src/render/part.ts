import { clean } from './clean.ts';
import type { Span } from './spans.ts';

/**
 * What a section of a transcript is made of: prose, or a label and what it labels. Every string is clean, none is
 * escaped for a format.
 */
export interface Part {
  /** Markdown, without fenced code. */
  readonly prose?: string;
  readonly label?: string;
  /** A `data:` URI of an image that is safe to show. */
  readonly image?: string;
  /** Verbatim, as code or what a program printed. */
  readonly spans?: readonly Span[] | undefined;
  /** Of the verbatim text, as in a Markdown fence. */
  readonly language?: string;
}

/** A value as it came; nothing where there is none. */
export function verbatim(label: string, value: unknown, language = ''): Part {
  return value == null ? {} : { label, spans: [{ sgr: '', text: clean(value) }], language };
}
