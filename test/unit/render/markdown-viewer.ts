import markdownIt from 'markdown-it';
import { renderMarkdown } from '../../../src/core/render/markdown.ts';
import { saying } from './hostile.ts';

/** A viewer that renders HTML and links to any address. */
export const trusting = markdownIt({ html: true, linkify: true });
trusting.validateLink = () => true;

const FORMATTING =
  /<\/?(?:p|h[1-6]|ul|ol|li|code|pre|em|strong|s|blockquote|hr|br|table|thead|tbody|tr|th|td)\b[^<>]*>/g;
const LINK = /<a href="([^"]*)"[^<>]*>|<\/a>/g;

/** Whether an address is relative, or has a scheme that an agent can link to. */
function isHarmless(address: string): boolean {
  const url = address.replaceAll('&amp;', '&');
  return (
    !URL.canParse(url, 'https://a.example') ||
    /^(?:https?|mailto|file):$/.test(new URL(url, 'https://a.example').protocol)
  );
}

/** The tags in the rendered transcript, without formatting and harmless links. Should be empty. */
export function acting(value: string): string[] {
  const html = trusting.render(renderMarkdown(saying(value)));
  const rest = html
    .replace(FORMATTING, '')
    .replace(LINK, (tag, address = '') => (isHarmless(address) ? '' : tag));
  return rest.match(/<[^>]*>?/g) ?? [];
}
