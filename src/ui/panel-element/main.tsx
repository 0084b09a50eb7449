import { connectPanel } from '../panel/connect.ts';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './style/style.css';
import 'acp-client-sdk/entry.css';
import './style/transcript.css';

/** The API of VS Code in a webview. The state outlives a reload of the window, with which the host starts again, too. */
interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): { readonly draft: string } | undefined;
  setState(state: { readonly draft: string }): void;
}
declare function acquireVsCodeApi(): VsCodeApi;

const vscode = acquireVsCodeApi();
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

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element "root".');
createRoot(root).render(<App panel={panel} />);
