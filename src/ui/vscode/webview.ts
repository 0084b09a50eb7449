import { escapeHtml } from '../../core/render/escape-html.ts';
import type { PanelChannel } from '../panel/channel.ts';
import type { VsCodeUri, VsCodeWebview } from './api.ts';

/**
 * The host's end of the channel to a webview, for `servePanel`. The page's end is
 * `{ post: api.postMessage, listen }` with the events `message` of its window.
 *
 * @example
 * ```ts
 * const detach = panel.attach(webviewChannel(view.webview));
 * view.onDidDispose(detach);
 * ```
 */
export function webviewChannel(webview: VsCodeWebview): PanelChannel {
  return {
    // Resolves with `false` while the webview is hidden. It asks for everything when it is shown again.
    post: (message) => webview.postMessage(message),
    listen(listener) {
      const registration = webview.onDidReceiveMessage(listener);
      return () => void registration.dispose();
    },
  };
}

/** The files of a page. */
export interface PageFiles {
  readonly title: string;
  readonly script: VsCodeUri;
  readonly styles: VsCodeUri | undefined;
}

/**
 * The page of a webview: an element with the id `root`, and one script. The Content Security Policy allows this script,
 * the style sheet, and images and media that the messages contain. Nothing is loaded from the network, whatever an
 * agent writes.
 */
export function webviewHtml(webview: VsCodeWebview, { title, script, styles }: PageFiles): string {
  const nonce = crypto.randomUUID();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    'img-src data:',
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const uri = (file: VsCodeUri) => escapeHtml(webview.asWebviewUri(file).toString());
  const link = styles ? `<link rel="stylesheet" href="${uri(styles)}" />` : '';
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    ${link}
    <title>${escapeHtml(title)}</title>
  </head>
  <body>
    <div id="root"></div>
    <script nonce="${nonce}" src="${uri(script)}"></script>
  </body>
</html>`;
}
