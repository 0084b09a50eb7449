import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import type { Plan } from '../model/plan.ts';
import { escapeHtml } from './escape-html.ts';
import { countText } from './facts.ts';
import { style } from './html-style.ts';
import { countLines } from './lines.ts';
import {
  entryOutline,
  type Format,
  isPlanShown,
  isShown,
  outline,
  planOutline,
  type Section,
} from './outline.ts';
import { type DiffLine, looks } from './patch-sections.ts';
import { diffSpans, joined, type Span } from './spans.ts';

/** Options of {@link renderHtml}. */
export interface RenderHtmlOptions {
  /** Title of the page. Default: the title of the session. */
  readonly title?: string | undefined;
}

/**
 * Renders a transcript as one HTML page, to read, to print and to share. The page has no scripts, its links lead to its
 * own entries, and it loads nothing from the network; its content security policy enforces this. It follows the color
 * scheme of the reader. Each entry has an anchor: `#e1`, `#e2` and so on, in the order of the transcript.
 *
 * @example
 * ```ts
 * await writeFile('transcript.html', renderHtml(conversation, { title: 'Leap days' }));
 * ```
 */
export function renderHtml(conversation: Conversation, options: RenderHtmlOptions = {}): string {
  const sections = outline(conversation, format);
  const body = sections.map((section, index) => {
    const { role, title, body } = section;
    if (role === 'session') return `<header><h1 dir="auto">${formatted(title)}</h1>${body}</header>\n<main>`;
    const id = `e${index}`;
    return sectionHtml(section, ` id="${id}"`, `<a href="#${id}">#</a>`);
  });
  // Long lines scroll by keys too. Text of the agent is escaped, so each of these elements is ours.
  const page = body.join('\n').replaceAll('<pre', '<pre tabindex="0"');
  const title = escapeHtml(options.title ?? sections[0]?.title ?? '');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>
${page}
</main>
</html>
`;
}

/**
 * Renders one entry of a transcript as HTML, for a page that draws entry by entry: a `section`, or a closed `details`
 * for a thought, with a heading. It is what `renderHtml` writes for the entry, without its anchor and the `tabindex` of
 * its code, and empty for a message that has no words and no other block yet. Each text has the direction of its first
 * letter, and a diff that of code.
 *
 * The HTML is safe to insert. All text is escaped, and there are no scripts, event handlers, styles, links and
 * addresses other than `data:` images. Set the look with classes: `user`, `agent`, `thought`, `tool` and `other` for
 * the entry, `label`, `diff` with `add`, `del` and `hunk`, and `s1` and `s30` to `s37` for bold and the colors of a
 * terminal. Content changes when the entry, a terminal or a subagent changes: `changedEntries` says so.
 *
 * @example
 * ```ts
 * for (const entry of changedEntries(drawn, conversation)) {
 *   rowOf(entry.key).innerHTML = renderEntryHtml(conversation, entry);
 * }
 * ```
 */
export function renderEntryHtml(conversation: Conversation, entry: ConversationEntry): string {
  return isShown(entry) ? sectionHtml(entryOutline(conversation, entry, format), '', '') : '';
}

/**
 * Renders a plan as HTML: a `section` with the class `other`. Plans are not in the `entries` of a conversation, but in its
 * `plans`: draw them after the entries, or where your panel shows what the agent is about to do. The HTML is as safe as
 * that of {@link renderEntryHtml}, and has the same classes.
 *
 * @example
 * ```ts
 * panel.innerHTML = conversation.plans.map(renderPlanHtml).join('');
 * ```
 */
export function renderPlanHtml(plan: Plan): string {
  return isPlanShown(plan) ? sectionHtml(planOutline(plan, format), '', '') : '';
}

const format: Format = { prose: (text) => `<p dir="auto">${formatted(text)}</p>`, label, code, diff, data };

function sectionHtml({ role, title, body }: Section, attributes: string, anchor: string): string {
  const [box, heading] = role === 'thought' ? ['details', 'summary'] : ['section', 'h2'];
  // A summary must not contain a link.
  const end = role === 'thought' ? `</${heading}>${anchor}` : `${anchor}</${heading}>`;
  return `<${box} class="${role}"${attributes}><${heading} dir="auto">${formatted(title)}${end}${body}</${box}>`;
}

function label(text: string, image?: string): string {
  return image
    ? `<img src="${image}" alt="${escapeHtml(text)}">`
    : `<p class="label" dir="auto">${escapeHtml(text)}</p>`;
}

/** Longer diffs have no line numbers: an element for each line would be much longer than the line. */
const maxNumberedLength = 2 ** 20;

function diff(lines: readonly DiffLine[]): string {
  const text = joined(diffSpans(lines), (span) => span.text);
  return text.length <= maxNumberedLength ? pre(diffHtml(lines), text, 'diff') : pre(escapeHtml(text), text);
}

function code(spans: Iterable<Span>): string {
  let text = '';
  const html = joined(spans, (span) => {
    text += span.text;
    return span.sgr
      ? `<span class="${span.sgr.replaceAll(';', ' s')}">${escapeHtml(span.text)}</span>`
      : escapeHtml(span.text);
  });
  return pre(html, text);
}

/** Longer text is folded: its first lines are visible. */
const maxOpenLines = 40;

function pre(html: string, text: string, name = ''): string {
  // The numbers and the marks of a diff are at the left in every language.
  const box = `<pre${name ? ` class="${name}" dir="ltr"` : ' dir="auto"'}><code>${html}</code></pre>`;
  const lines = countLines(text);
  return lines <= maxOpenLines
    ? box
    : `<details class="long"><summary>${countText(lines)} lines</summary>${box}</details>`;
}

/** Long JSON is complete, but folded. */
function data(json: string, name: string): string {
  const html = pre(escapeHtml(json), json);
  return name ? `${label(name)}\n${html}` : html;
}

/** Formats the Markdown that a line alone defines: headings, lists, bold, code spans. */
function formatted(prose: string): string {
  return escapeHtml(prose)
    .replace(/^([ \t]*)[-*] \[( |x)\]/gim, (_, indent, mark) => indent + (mark === ' ' ? '☐' : '☑'))
    .replace(/^([ \t]*)[-*](?= )/gm, '$1•')
    .replace(/^#{1,6} +(.+)$/gm, '<b>$1</b>')
    .split(/`([^`\n]+)`/)
    .map((piece, index) =>
      index % 2 ? `<code>${piece}</code>` : piece.replace(/\*\*(\S(?:[^*\n]*[^*\s])?)\*\*/g, '<b>$1</b>'),
    )
    .join('');
}

/** The lines of a diff, each with its numbers in the old and in the new file, if they are known. */
export function diffHtml(lines: readonly DiffLine[]): string {
  const highest = lines.reduce((most, { oldLine, newLine }) => Math.max(most, oldLine ?? 0, newLine ?? 0), 0);
  const number = (line: number | null) => `${line ?? ''}`.padStart(`${highest}`.length);
  return lines
    .map(({ change, text, oldLine, newLine }) => {
      const isKnown = oldLine !== null || newLine !== null;
      const numbers = isKnown ? `<i>${number(oldLine)} ${number(newLine)} </i>` : '';
      const { sign, className } = looks[change];
      const line = `${numbers}${escapeHtml(sign + text)}\n`;
      return className ? `<span class="${className}">${line}</span>` : line;
    })
    .join('');
}
