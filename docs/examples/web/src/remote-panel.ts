import { remoteTransport, streamableHttpTransport } from 'acp-client-sdk';
import { connectPanel, messagePortChannel, type Panel, servePanel } from 'acp-client-sdk/panel';

/**
 * A panel whose two ends are both in the page: it reaches an agent on another machine itself, without a bridge.
 *
 * @param path - Of the agent, at the origin of the page. Another origin would need the rules of CORS.
 * @param transport - `http`: streamable HTTP, also where the server has WebSockets.
 * @param cwd - The directory of new sessions, on the machine of the agent.
 */
export function remotePanel(path: string, transport: string | null, cwd: string): Panel {
  const url = new URL(path, location.href);
  if (url.origin !== location.origin) throw new Error(`${url.origin} is not the origin of the page.`);
  const open = transport === 'http' ? streamableHttpTransport : remoteTransport;
  const served = servePanel({
    agent: async () => {
      await logIn();
      return open(url);
    },
    connect: {
      clientInfo: { name: 'web-example', title: 'Web example', version: '1.0.0' },
      promptSuggestions: true,
      onDiagnostic: ({ severity, message }) => console.info(severity, message),
      reconnect: {},
    },
    workspace: () => ({ cwd }),
    sessions: 'all',
  });
  return connectPanel(() => {
    const { port1, port2 } = new MessageChannel();
    served.attach(messagePortChannel(port1));
    return messagePortChannel(port2);
  });
}

/** The server takes its token from a cookie. A real page would have a login, and a cookie that scripts cannot read. */
async function logIn(): Promise<void> {
  const name = 'acp_token';
  if (await cookieStore.get(name)) return;
  const token = prompt('The token of the server')?.trim();
  if (token) await cookieStore.set({ name, value: encodeURIComponent(token), sameSite: 'strict' });
}
