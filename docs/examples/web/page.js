import 'acp-client-sdk/panel-element';
import { connectPanel, webSocketChannel } from 'acp-client-sdk/panel';

// The panel opens another connection when this one has ended.
const open = () => webSocketChannel(new WebSocket(`ws://${location.host}`));
document.querySelector('acp-panel').panel = connectPanel(open);
