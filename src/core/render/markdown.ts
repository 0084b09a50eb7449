import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { entryOutline, type Format, isShown, outline, type Section } from './outline.ts';
import { shortenedJson } from './part.ts';
import type { DiffLine } from './patch-sections.ts';
import { diffSpans, joined, type Span } from './spans.ts';

/**
 * Renders a transcript as Markdown.
 *
 * The agent's Markdown is kept, except for active or misleading content: HTML, links other than to the web, mail
 * or a file, and images, because fetching an image reveals the reader to its server. Headings from the agent start at
 * level 4, so that they cannot imitate a section of the transcript. Output of programs is in a code fence that it
 * cannot close.
 *
 * @example
 * ```ts
 * await writeFile('transcript.md', renderMarkdown(conversation));
 * ```
 */
export function renderMarkdown(conversation: Conversation): string {
  return `${outline(conversation, format).map(sectionMarkdown).join('\n\n')}\n`;
}

/**
 * Renders one entry of a transcript as Markdown, for an editor that shows the transcript in a text buffer and replaces
 * only what changed. It is what `renderMarkdown` writes for the entry, as safe, and without an empty line at its end. It
 * is empty for a message that has no words and no other block yet. The result changes when the entry, a terminal or a
 * subagent changes: `changedEntries` says so.
 *
 * @example
 * ```ts
 * for (const entry of changedEntries(drawn, conversation)) {
 *   replaceLines(entry.key, renderEntryMarkdown(conversation, entry).split('\n'));
 * }
 * ```
 */
export function renderEntryMarkdown(conversation: Conversation, entry: ConversationEntry): string {
  return isShown(entry) ? sectionMarkdown(entryOutline(conversation, entry, format)) : '';
}

const format: Format = { prose: inert, label: literal, code, diff, data };

function sectionMarkdown({ role, title, body }: Section): string {
  const level = role === 'session' ? '#' : role === 'tool' ? '###' : '##';
  return `${level} ${literal(title)}\n\n${role === 'thought' ? `> ${body.split('\n').join('\n> ')}` : body}`.trimEnd();
}

function data(json: string, label: string): string {
  return (label && `${literal(label)}\n`) + fenced(shortenedJson(json), '');
}

function code(spans: Iterable<Span>, language = ''): string {
  const text = joined(spans, (span) => span.text);
  return fenced(text, language);
}

function diff(lines: readonly DiffLine[]): string {
  return code(diffSpans(lines), 'diff');
}

/** Code in a fence that is longer than each one inside. */
function fenced(code: string, language: string): string {
  let longest = 2;
  for (const [run] of code.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${code.replace(/\n?$/, '\n')}${fence}`;
}

/** The start of HTML. */
const tag = /<(?=[a-z/!?])/gi;

/** The start of an image, or of a link address with a scheme that is not harmless, also behind an entity. */
const activeLink = /!(?=\[)|\](?![(:]\s*(?:https?|mailto|file):)(?=[(:][\s\w+.<>-]*[:&\\])/gi;

/** A heading at the start of a line. */
const heading = /^ {0,3}(#{1,6})(?=\s|$)/gm;

/**
 * A heading within a list or a quote, or one that is indented. Also matches other text, where the change is
 * invisible.
 */
const nestedHeading = /^([ \t>*+.):\d-]*[ \t>]#{1,6})(?=\s|$)/gm;

/** A line of `=` or `-`, which turns the line above into a heading, also within a list or a quote. */
const headingUnderline = /^([ \t>]*)(?=(?:=+|-+)[^\S\n]*$)/gm;

/** WORD JOINER. Invisible, and not part of any Markdown syntax. */
const joiner = '\u2060';

/**
 * Markdown without HTML, images, active links and headings above level 4. Viewers differ in what they treat as
 * code, so this applies to code spans too. A joiner keeps the visible text unchanged.
 */
function inert(markdown: string): string {
  return markdown
    .replace(/`[^`\n]*`/g, (code) => code.replace(tag, `<${joiner}`))
    .replace(tag, '&lt;')
    .replace(activeLink, `$&${joiner}`)
    .replace(heading, (_, level: string) => '#'.repeat(Math.min(level.length + 3, 6)))
    .replace(nestedHeading, `$1${joiner}`)
    .replace(headingUnderline, `$1${joiner}`);
}

/** Escapes Markdown, so that the text is shown as it is. */
function literal(text: string): string {
  return text
    .replace(/[\\`*_[~&]|^[#>+-]/g, '\\$&')
    .replace(/^(\d+)(?=[.)])/, '$1\\')
    .replace(tag, '&lt;');
}
