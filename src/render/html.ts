import type { Conversation } from '../model/conversation.ts';
import { isLong } from './data.ts';
import { style } from './html-style.ts';
import { outline } from './outline.ts';
import { joined, type Span } from './spans.ts';

/** Options of {@link renderHtml}. */
export interface HtmlOptions {
  /** Title of the page. Default: the title of the session. */
  readonly title?: string;
}

/**
 * Renders a transcript as one HTML page. The page has no scripts and no links and loads nothing from the network,
 * and its content security policy enforces this. It follows the color scheme of the reader.
 *
 * @example
 * ```ts
 * await writeFile('transcript.html', renderHtml(conversation, { title: 'Leap days' }));
 * ```
 */
export function renderHtml(conversation: Conversation, options: HtmlOptions = {}): string {
  const sections = outline(conversation, { prose: (text) => `<p>${formatted(text)}</p>`, label, code, data });
  const body = sections.map(({ role, title, body }) => {
    const [box, heading] =
      role === 'thought' ? ['details', 'summary'] : ['section', role === 'session' ? 'h1' : 'h2'];
    return `<${box} class="${escaped(role)}"><${heading}>${formatted(title)}</${heading}>${body}</${box}>`;
  });
  const title = escaped(options.title ?? sections[0]?.title ?? '');
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>
${body.join('\n')}
</html>
`;
}

function label(text: string, image?: string): string {
  return image ? `<img src="${image}" alt="${escaped(text)}">` : `<p class="label">${escaped(text)}</p>`;
}

function code(spans: Iterable<Span>): string {
  const html = joined(spans, ({ sgr, text }) =>
    sgr ? `<span class="${sgr.replaceAll(';', ' s')}">${escaped(text)}</span>` : escaped(text),
  );
  return `<pre>${html}</pre>`;
}

/** Long JSON is complete, but collapsed. */
function data(json: string, name: string): string {
  const html = code([{ sgr: '', text: json }]);
  if (isLong(json)) return `<details><summary>${escaped(name || 'JSON')}</summary>${html}</details>`;
  return name ? `${label(name)}\n${html}` : html;
}

/** For content, and for attributes in double quotes. */
function escaped(text: string): string {
  if (!/[&<>"]/.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Formats the Markdown that a line alone defines: headings, lists, bold, code spans. */
function formatted(prose: string): string {
  return escaped(prose)
    .replace(/^([ \t]*)- \[( |x)\]/gm, (_, indent, mark) => indent + (mark === 'x' ? '☑' : '☐'))
    .replace(/^([ \t]*)[-*](?= )/gm, '$1•')
    .replace(/^#{1,6} +(.+)$/gm, '<b>$1</b>')
    .split(/`([^`\n]+)`/)
    .map((piece, index) =>
      index % 2 ? `<code>${piece}</code>` : piece.replace(/\*\*(\S(?:[^*\n]*[^*\s])?)\*\*/g, '<b>$1</b>'),
    )
    .join('');
}
