import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it';
import { clean } from '../../core/render/clean.ts';
import { escapeHtml } from '../../core/render/escape-html.ts';
import { fileAddress, type MarkdownOptions, webAddress } from './options.ts';
import { unsafeAddress } from './unsafe-address.ts';

/** A parser whose HTML is safe to insert into a page. Give it clean text. */
export function markdownParser(options: MarkdownOptions): Parser {
  // It escapes HTML by default.
  const parser = new MarkdownIt();
  // A picture would load an address that the agent chose.
  parser.disable('image');
  // Such a link stays text.
  parser.validateLink = (address) => !unsafeAddress.test(address);
  parser.core.ruler.push('task_lists', ({ tokens }) => markTasks(tokens));
  parser.core.ruler.push('table_cells', ({ tokens }) => alignCells(tokens));
  const { rules } = parser.renderer;
  // An entity such as &#x202e; is decoded after the text was cleaned.
  rules['text'] = (tokens, index) => escapeHtml(clean(tokens[index]?.content));
  const links = options.links ?? 'web';
  rules['link_open'] = (tokens, index) => linkStart(tokens[index], links);
  rules['link_close'] = (tokens, index) => (isLink(startOfLink(tokens, index), links) ? '</a>' : '</span>');
  rules['fence'] = (tokens, index) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    return codeHtml(languageOf(info), content, options);
  };
  rules['code_block'] = (tokens, index) => codeHtml('', tokens[index]?.content ?? '', options);
  // What is wider than the page scrolls, so it must be reachable with the keyboard.
  rules['table_open'] = (tokens, index, settings, _env, self) =>
    `<div class="table" tabindex="0">${self.renderToken(tokens, index, settings)}`;
  rules['table_close'] = () => '</table></div>\n';
  return parser;
}

/** Blocks whose direction is that of their first letter. Those within them follow. */
const directed: ReadonlySet<string> = new Set([
  'paragraph_open',
  'heading_open',
  'bullet_list_open',
  'ordered_list_open',
  'blockquote_open',
  'table_open',
]);

/** Marks the items of task lists, and lets the text of each block at the top decide its direction. */
function markTasks(tokens: readonly Token[]): void {
  tokens.forEach((token, index) => {
    if (token.level === 0 && directed.has(token.type)) token.attrSet('dir', 'auto');
    if (token.type !== 'inline' || tokens[index - 2]?.type !== 'list_item_open') return;
    const text = token.children?.[0];
    const mark = /^\[([ xX])\](?= )/.exec(text?.type === 'text' ? text.content : '')?.[1];
    if (!text || mark === undefined) return;
    text.content = `${mark === ' ' ? '☐' : '☑'}${text.content.slice(3)}`;
    tokens[index - 2]?.attrJoin('class', 'task');
  });
}

/** A class in place of a style, which a page with a Content Security Policy does not apply. */
function alignCells(tokens: readonly Token[]): void {
  for (const token of tokens) {
    if (token.type !== 'th_open' && token.type !== 'td_open') continue;
    const align = /^text-align:(left|center|right)$/.exec(`${token.attrGet('style') ?? ''}`)?.[1];
    token.attrs = align === undefined ? null : [['class', `align-${align}`]];
  }
}

type Links = NonNullable<MarkdownOptions['links']>;

function addressOf(token: Token | undefined): string {
  return `${token?.attrGet('href') ?? ''}`;
}

function isLink(token: Token | undefined, links: Links): boolean {
  const address = addressOf(token);
  return webAddress.test(address) || (links === 'webAndFiles' && fileAddress.test(address));
}

function linkStart(token: Token | undefined, links: Links): string {
  const address = escapeHtml(clean(addressOf(token)));
  const title = escapeHtml(clean(token?.attrGet('title') ?? ''));
  if (!isLink(token, links)) return `<span title="${title || address}">`;
  // A page of its own, which gets no access to this one.
  const target = webAddress.test(address) ? ' target="_blank" rel="noopener noreferrer"' : '';
  return `<a href="${address}"${title && ` title="${title}"`}${target}>`;
}

/** The start of the link that ends here. Links do not contain links. */
function startOfLink(tokens: readonly Token[], end: number): Token | undefined {
  let index = end;
  while (index >= 0 && tokens[index]?.type !== 'link_open') index--;
  return tokens[index];
}

/** The language that the first word after a fence names. Empty if that is no name. */
export function languageOf(info: string): string {
  return /^\s*\{?\.?([\w+#.-]{1,32})/.exec(info)?.[1] ?? '';
}

/** A block of code as HTML. A line feed at the end of the code ends its last line. */
export function codeHtml(language: string, code: string, { codeButtons = {} }: MarkdownOptions): string {
  const buttons = Object.entries(codeButtons).map(
    ([name, label]) =>
      `<button type="button" data-code-button="${escapeHtml(name)}">${escapeHtml(label)}</button>`,
  );
  const head = language || buttons.length > 0 ? `<div><span>${language}</span>${buttons.join('')}</div>` : '';
  const text = code.endsWith('\n') ? code.slice(0, -1) : code;
  return `<div class="code" dir="ltr">${head}<pre tabindex="0"><code>${escapeHtml(text)}\n</code></pre></div>\n`;
}
