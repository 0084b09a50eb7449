import { connectPanel } from 'acp-client-sdk/panel';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './style.css';

/** The API of VS Code in a webview. */
declare function acquireVsCodeApi(): { postMessage(message: unknown): void };

const vscode = acquireVsCodeApi();
const panel = connectPanel({
  post: (message) => vscode.postMessage(message),
  listen(listener) {
    const receive = ({ data }: MessageEvent<unknown>) => listener(data);
    window.addEventListener('message', receive);
    return () => window.removeEventListener('message', receive);
  },
});

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element "root".');
createRoot(root).render(<App panel={panel} />);
