import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { webAddress } from '../../markdown/options.ts';
import type { Panel } from '../../panel/connect.ts';
import { useAction } from '../events.ts';
import { MarkdownView } from './markdown-view.ts';

/** The buttons above each block of code, by name. The transcript handles their clicks. */
export const CodeButtons = createContext<Readonly<Record<string, string>>>({ copy: 'Copy' });

/** Text of an agent, drawn as Markdown. Preact makes its element only: the text can be long, and grow often. */
export function Markdown({ block }: { readonly block: { readonly text: string } }) {
  const links = useAction('openLocation') ? 'webAndFiles' : 'web';
  const codeButtons = useContext(CodeButtons);
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<MarkdownView>(null);
  useLayoutEffect(() => {
    if (!place.current) return undefined;
    const made = new MarkdownView(place.current, { links, codeButtons });
    view.current = made;
    return () => made.stop();
  }, [links, codeButtons]);
  useLayoutEffect(() => view.current?.show(block.text, block));
  return <div ref={place} className="markdown" />;
}

/**
 * Handles a click in the Markdown of the agent: on a button above a block of code, or on a link. The host opens a page
 * outside, or a file of the workspace in the editor.
 */
export function onMarkdownClick(panel: Panel, event: MouseEvent): void {
  const target = event.target instanceof Element ? event.target : null;
  const button = target?.closest('[data-code-button]');
  if (!button) return openLink(panel, event, target?.closest('a'));
  const code = button.closest('.code')?.querySelector('pre')?.textContent?.replace(/\n$/, '') ?? '';
  if (button.getAttribute('data-code-button') === 'insert') void panel.insertText(code);
  else void navigator.clipboard.writeText(code).then(() => button.setAttribute('data-done', 'true'));
}

function openLink(panel: Panel, event: MouseEvent, link: Element | null | undefined): void {
  const uri = link?.getAttribute('href');
  const holder = link?.closest('[data-entry], [data-plan]');
  if (uri == null || !holder) return;
  event.preventDefault();
  const entryKey = holder.getAttribute('data-entry');
  if (webAddress.test(uri)) void panel.openLink(uri);
  else if (entryKey !== null) void panel.openLocation({ kind: 'link', entryKey, uri });
  else void panel.openLocation({ kind: 'plan', planId: holder.getAttribute('data-plan') ?? '', uri });
}
