import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import '../../vscode/webview/style.css';
import './style.css';

const defaultBridge = 'ws://127.0.0.1:8137';
const bridge = new URL(location.href).searchParams.get('bridge') ?? defaultBridge;
// The panel opens another connection when this one has ended.
const panel = connectPanel(() => webSocketChannel(new WebSocket(bridge)));

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element "root".');
createRoot(root).render(<App panel={panel} bridge={bridge} />);
