import type { Conversation } from '../model/conversation.ts';
import { diffHtml } from './diff-html.ts';
import { escapeHtml } from './escape-html.ts';
import { countText } from './facts.ts';
import { style } from './html-style.ts';
import { outline } from './outline.ts';
import { joined, type Span } from './spans.ts';

/** Options of {@link renderHtml}. */
export interface RenderHtmlOptions {
  /** Title of the page. Default: the title of the session. */
  readonly title?: string;
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
  const sections = outline(conversation, { prose: (text) => `<p>${formatted(text)}</p>`, label, code, data });
  const body = sections.map(({ role, title, body }, index) => {
    if (role === 'session') return `<header><h1>${formatted(title)}</h1>${body}</header>`;
    const [box, heading] = role === 'thought' ? ['details', 'summary'] : ['section', 'h2'];
    const id = `e${index}`;
    return `<${box} class="${role}" id="${id}"><${heading}>${formatted(title)}<a href="#${id}">#</a></${heading}>${body}</${box}>`;
  });
  const title = escapeHtml(options.title ?? sections[0]?.title ?? '');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>
${body.join('\n')}
</html>
`;
}

function label(text: string, image?: string): string {
  return image
    ? `<img src="${image}" alt="${escapeHtml(text)}">`
    : `<p class="label">${escapeHtml(text)}</p>`;
}

/** Longer diffs have no line numbers: an element for each line would be much longer than the line. */
const maxNumberedLength = 2 ** 20;

function code(spans: Iterable<Span>, language = ''): string {
  if (language === 'diff') {
    const diff = joined(spans, ({ text }) => text);
    if (diff.length <= maxNumberedLength) return pre(diffHtml(diff), diff, 'diff');
    return pre(escapeHtml(diff), diff);
  }
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
  const box = `<pre${name && ` class="${name}"`}><code>${html}</code></pre>`;
  const lines = countLines(text);
  return lines <= maxOpenLines
    ? box
    : `<details class="long"><summary>${countText(lines)} lines</summary>${box}</details>`;
}

function countLines(text: string): number {
  let count = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < text.length - 1; end = text.indexOf('\n', end + 1))
    count++;
  return count;
}

/** Long JSON is complete, but folded. */
function data(json: string, name: string): string {
  const html = pre(escapeHtml(json), json);
  return name ? `${label(name)}\n${html}` : html;
}

/** Formats the Markdown that a line alone defines: headings, lists, bold, code spans. */
function formatted(prose: string): string {
  return escapeHtml(prose)
    .replace(/^([ \t]*)- \[( |x)\]/gm, (_, indent, mark) => indent + (mark === 'x' ? '☑' : '☐'))
    .replace(/^([ \t]*)[-*](?= )/gm, '$1•')
    .replace(/^#{1,6} +(.+)$/gm, '<b>$1</b>')
    .split(/`([^`\n]+)`/)
    .map((piece, index) =>
      index % 2 ? `<code>${piece}</code>` : piece.replace(/\*\*(\S(?:[^*\n]*[^*\s])?)\*\*/g, '<b>$1</b>'),
    )
    .join('');
}
