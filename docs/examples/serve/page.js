// A page that reaches the agent of serve.mjs by itself: both ends of the panel are in the page.
import 'acp-client-sdk/panel-element';
import { remoteTransport } from 'acp-client-sdk';
import { connectPanel, messagePortChannel, servePanel } from 'acp-client-sdk/panel';

const { origin, searchParams } = new URL(location.href);
const options = searchParams.get('transport') === 'http' ? { WebSocket: false } : {};

/** The server takes its token from a cookie. A real page would have a login, and a cookie that scripts cannot read. */
async function logIn() {
  const name = 'acp_token';
  if (await cookieStore.get(name)) return;
  const token = prompt('The token of the server')?.trim();
  if (token) await cookieStore.set({ name, value: encodeURIComponent(token), sameSite: 'strict' });
}

const served = servePanel({
  agent: async () => {
    await logIn();
    return remoteTransport(`${origin}/acp`, options);
  },
  connect: {
    clientInfo: { name: 'page', title: 'Page', version: '1.0.0' },
    promptSuggestions: true,
    onDiagnostic: ({ severity, message }) => console.info(severity, message),
    reconnect: {},
  },
  workspace: () => ({ cwd: searchParams.get('cwd') ?? '/' }),
  sessions: 'all', // also those of other folders
});
const { port1, port2 } = new MessageChannel();
served.attach(messagePortChannel(port1));
document.querySelector('acp-panel').panel = connectPanel(messagePortChannel(port2));
document.body.style.margin = '0'; // the policy of the page allows no style in its HTML
