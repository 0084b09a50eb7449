import { connectPanel, type Panel } from '../panel/connect.ts';

/** The API of VS Code in a webview. The state outlives a reload of the window, with which the host starts again, too. */
interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): { readonly draft: string } | undefined;
  setState(state: { readonly draft: string }): void;
}

let connected: Panel | null | undefined;

/**
 * The panel of the extension that shows this page. `null` outside of VS Code, and if the page's own script has asked for
 * the API, which VS Code gives once: then the script connects.
 */
export function connectWebview(): Panel | null {
  connected ??= connectOnce();
  return connected;
}

function connectOnce(): Panel | null {
  const acquire: unknown = Reflect.get(globalThis, 'acquireVsCodeApi');
  if (typeof acquire !== 'function') return null;
  let vscode: VsCodeApi;
  try {
    vscode = acquire();
  } catch {
    return null;
  }
  const panel = connectPanel({
    post: (message) => vscode.postMessage(message),
    listen(listener) {
      const receive = ({ data }: MessageEvent<unknown>) => listener(data);
      window.addEventListener('message', receive);
      return () => window.removeEventListener('message', receive);
    },
  });
  let kept = vscode.getState()?.draft ?? '';
  if (kept !== '') panel.setDraft(kept);
  panel.subscribe(() => {
    const { draft } = panel.getSnapshot();
    // The panel calls this for each change of the conversation. Only a new draft is saved.
    if (draft !== kept) vscode.setState({ draft });
    kept = draft;
  });
  return panel;
}
