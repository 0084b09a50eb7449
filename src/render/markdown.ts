import type { Conversation } from '../model/conversation.ts';
import { outline } from './outline.ts';
import type { Span } from './spans.ts';

/**
 * The transcript as Markdown, for any viewer.
 *
 * What the agent wrote is passed on as the Markdown it usually is, less what could act or mislead: HTML, links
 * other than to the web, mail or a file, images (fetching one tells its server who reads), and headings that could
 * pass for those set here. What a program printed stands in a fence that it cannot close.
 *
 * @example
 * ```ts
 * await writeFile('transcript.md', renderMarkdown(conversation));
 * ```
 */
export function renderMarkdown(conversation: Conversation): string {
  const sections = outline(conversation, { prose: inert, label: literal, code: fenced });
  const blocks = sections.map(({ role, title, body }) => {
    const level = role === 'session' ? '#' : role === 'tool' ? '###' : '##';
    return `${level} ${literal(title)}\n\n${role === 'thought' ? body.replace(/^/gm, '> ') : body}`.trimEnd();
  });
  return `${blocks.join('\n\n')}\n`;
}

/** Code in a fence longer than any inside. */
function fenced(spans: readonly Span[], language = ''): string {
  const code = spans.map(({ text }) => text).join('');
  const fence = `${(code.match(/`{3,}/g) ?? ['``']).sort().at(-1)}\``;
  return `${fence}${language}\n${code.replace(/\n?$/, '\n')}${fence}`;
}

/** What opens HTML. */
const TAG = /<(?=[a-z/!?])/gi;

/** What begins an image, or the address of a link that has a scheme beyond the harmless, plainly or behind an entity. */
const REACHING = /!(?=\[)|\](?![(:]\s*(?:https?|mailto|file):)(?=[(:][\s\w+.<>-]*[:&\\])/gi;

/**
 * Markdown that formats but does not act. Viewers differ in what they take for a code span, so that nothing may act in
 * there either; U+2060, which is not seen and is no part of any syntax, keeps what is shown as it was.
 */
function inert(markdown: string): string {
  return markdown
    .replace(/`[^`\n]*`/g, (code) => code.replace(TAG, '<\u2060'))
    .replace(TAG, '&lt;')
    .replace(REACHING, '$&\u2060')
    .replace(/^ {0,3}(?=#{1,4}\s)/gm, '##')
    .replace(/^ {0,3}(?=[=-]+ *$)/gm, '\\');
}

/** Text as it stands, formatting nothing. */
function literal(text: string): string {
  return text.replace(/[\\`*_[~&]|^[#>+-]/g, '\\$&').replace(TAG, '&lt;');
}
