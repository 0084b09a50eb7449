import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/**
 * The page of the webview. Its policy allows the one script with the nonce, the style sheet, and images that are in the
 * conversation. Nothing is loaded from the network, whatever an agent writes.
 */
export function webviewHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const uri = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, 'dist', name));
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    'img-src data:',
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="stylesheet" href="${uri('webview.css')}" />
    <title>Agent</title>
  </head>
  <body>
    <div id="root"></div>
    <script nonce="${nonce}" src="${uri('webview.js')}"></script>
  </body>
</html>`;
}
