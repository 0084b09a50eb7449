import type { Conversation } from '../model/conversation.ts';
import { STYLE } from './html-style.ts';
import { outline } from './outline.ts';

/** How the page is made. */
export interface HtmlOptions {
  /** Title of the page; default the session's. */
  readonly title?: string;
}

/**
 * The transcript as one self-contained page: no scripts, no links, nothing from the network, and a content security
 * policy that holds the browser to it. Light or dark, as the reader's system is.
 *
 * @example
 * ```ts
 * await writeFile('transcript.html', renderHtml(conversation, { title: 'Leap days' }));
 * ```
 */
export function renderHtml(conversation: Conversation, options: HtmlOptions = {}): string {
  const sections = outline(conversation, {
    prose: (text) => `<p>${formatted(text)}</p>`,
    label: (text, image) =>
      image ? `<img src="${image}" alt="${escaped(text)}">` : `<p class="label">${escaped(text)}</p>`,
    code: (spans) => {
      const html = spans.map(({ sgr, text }) => {
        return sgr ? `<span class="${sgr.replaceAll(';', ' s')}">${escaped(text)}</span>` : escaped(text);
      });
      return `<pre>${html.join('')}</pre>`;
    },
  });
  const body = sections.map(({ role, title, body }) => {
    const [box, heading] =
      role === 'thought' ? ['details', 'summary'] : ['section', role === 'session' ? 'h1' : 'h2'];
    return `<${box} class="${escaped(role)}"><${heading}>${formatted(title)}</${heading}>${body}</${box}>`;
  });
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"><meta name="viewport" content="width=device-width"><title>${escaped(options.title ?? sections[0]?.title ?? '')}</title><style>${STYLE}</style>
${body.join('\n')}
</html>
`;
}

/** For content, and for attributes in double quotes. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Prose with what of its Markdown can be told line by line: headings, lists, bold, code spans. */
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
