import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';
import { createRoot } from 'react-dom/client';
import { App } from '../../vscode/webview/app.tsx';
import { remotePanel } from './remote-panel.ts';
import '../../vscode/webview/style.css';
import 'acp-client-sdk/entry.css';
import '../../vscode/webview/transcript.css';
import './style.css';

const { searchParams } = new URL(location.href);
const remote = searchParams.get('agent');
const bridge = searchParams.get('bridge') ?? 'ws://127.0.0.1:8137';
const panel =
  remote === null
    ? // The panel opens another connection when this one has ended.
      connectPanel(() => webSocketChannel(new WebSocket(bridge)))
    : remotePanel(remote, searchParams.get('transport'), searchParams.get('cwd') ?? '/');

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element "root".');
createRoot(root).render(<App panel={panel} />);
