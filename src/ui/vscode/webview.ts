import { escapeHtml } from '../../core/render/escape-html.ts';
import type { PanelChannel } from '../panel/channel.ts';
import type { VsCode, VsCodeUri, VsCodeWebview } from './api.ts';

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

/** What a webview shows. */
export interface WebviewPage {
  readonly title: string;
  readonly body: string;
  readonly script: VsCodeUri;
  readonly styles: VsCodeUri | undefined;
}

/** The page that an extension brings: it finds an element with the id `root`. */
export const rootBody = '<div id="root"></div>';

/** The page of the library. VS Code gives the body a padding, and the element fills what it is in. */
export const elementBody = '<acp-panel></acp-panel>';

/**
 * Shows a page with one script. The Content Security Policy allows this script, the style sheet, and images and media
 * that the messages contain. Nothing is loaded from the network, whatever an agent writes.
 */
export function showPage(
  webview: VsCodeWebview,
  vscode: VsCode,
  { title, body, script, styles }: WebviewPage,
): void {
  const files = styles ? [script, styles] : [script];
  const localResourceRoots = files.map((file) => vscode.Uri.joinPath(file, '..'));
  webview.options = { enableScripts: true, localResourceRoots };
  const nonce = crypto.randomUUID();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}' ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    'img-src data:',
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const uri = (file: VsCodeUri) => escapeHtml(webview.asWebviewUri(file).toString());
  const link = styles ? `<link rel="stylesheet" href="${uri(styles)}" />` : '';
  webview.html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <style nonce="${nonce}">html, body { block-size: 100%; margin: 0; padding: 0; background: var(--vscode-sideBar-background); }</style>
    ${link}
    <title>${escapeHtml(title)}</title>
  </head>
  <body>
    ${body}
    <script nonce="${nonce}" src="${uri(script)}"></script>
  </body>
</html>`;
}

/** Says in the page why it is empty. */
export function showReason(webview: VsCodeWebview, reason: string): void {
  webview.html = `<!doctype html><html lang="en"><body><p>${escapeHtml(reason)}</p></body></html>`;
}
