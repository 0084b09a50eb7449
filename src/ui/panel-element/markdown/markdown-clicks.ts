import { webAddress } from '../../markdown/parser.ts';
import type { Panel } from '../../panel/connect.ts';

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
