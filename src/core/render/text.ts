import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { aroundLines, wrapLines } from './lines.ts';
import { entryOutline, type Format, isShown, outline, type Section } from './outline.ts';
import { shortenedJson } from './part.ts';
import { diffSpans, joined, type Span } from './spans.ts';

/** Options of {@link renderText}. */
export interface RenderTextOptions {
  /** Columns to wrap prose at. Default: 80. Verbatim text, such as code, is not wrapped. */
  readonly width?: number | undefined;
  /** Whether to use colors. Default: `false`. */
  readonly color?: boolean | undefined;
}

/** A heading whose further lines are indented, so that text from the agent cannot imitate another heading. */
export function wrapHeading(title: string, width: number): string {
  return wrapLines(title, width - 2).replaceAll('\n', '\n  ');
}

/**
 * Renders a transcript as text for a terminal.
 *
 * The output is safe to print. It contains no control characters from the agent, and the only escape sequences are the
 * colors set here. Text from the agent is indented, so that it cannot imitate a heading.
 *
 * @example process.stdout.write(renderText(conversation, { width: process.stdout.columns, color: true }))
 */
export function renderText(conversation: Conversation, options: RenderTextOptions = {}): string {
  const { format, sectionText } = textFormat(options);
  return `${outline(conversation, format).map(sectionText).join('\n\n')}\n`;
}

/** Text of one entry, as it is in the text of the whole conversation. Empty for a message that has nothing to show yet. */
export function renderEntryText(
  conversation: Conversation,
  entry: ConversationEntry,
  options: RenderTextOptions = {},
): string {
  return isShown(entry) ? entryText(conversation, entry, options) : '';
}

/** The same, with the heading of a message that has nothing to show yet. */
export function entryText(
  conversation: Conversation,
  entry: ConversationEntry,
  options: RenderTextOptions,
): string {
  const { format, sectionText } = textFormat(options);
  return sectionText(entryOutline(conversation, entry, format));
}

function textFormat({ width = 80, color = false }: RenderTextOptions) {
  const paint = (sgr: string, text: string): string =>
    color && sgr ? aroundLines(text, `\x1b[0${sgr}m`, '\x1b[0m') : text;
  const prose = (text: string): string => aroundLines(wrapLines(text, width - 2), '  ');
  const code = (spans: Iterable<Span>): string =>
    aroundLines(
      joined(spans, ({ sgr, text }) => paint(sgr, text)),
      '    ',
    ).trimEnd();
  const label = (text: string): string => paint(';2', prose(text));
  const data = (json: string, name: string): string =>
    (name && `${label(name)}\n`) + code([{ sgr: '', text: shortenedJson(json) }]);
  const format: Format = { prose, label, code, diff: (lines) => code(diffSpans(lines)), data };
  return {
    format,
    sectionText({ role, title, body }: Section): string {
      const heading = paint(role === 'user' ? ';1;36' : ';1', wrapHeading(title, width));
      return `${heading}\n${paint(role === 'thought' ? ';2' : '', body)}`.trimEnd();
    },
  };
}
