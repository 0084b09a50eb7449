import { ConnectionClosedError, InvalidParamsError } from '../../base/errors.ts';
import { isNode } from '../../base/platform.ts';
import { defaultSocketIdleMs, type RemoteTransportOptions, urlForMessages } from '../remote-options.ts';
import type { Transport, TransportListener } from '../transport.ts';
import { WebSocketTransport } from '../websocket.ts';
import { HttpClient } from './http-client.ts';
import { endIfSilent, openWebSocket, webSocketFor } from './open-web-socket.ts';
import type { SessionMethods } from './routes.ts';
import { StreamableHttpTransport } from './streamable-http.ts';

/**
 * Creates a channel over a WebSocket, or over streamable HTTP where the server does not upgrade the connection. A `ws:` URL
 * is the user's choice, and stays. So is `WebSocket: false`.
 */
export async function openRemote(
  url: URL,
  options: RemoteTransportOptions,
  methods: SessionMethods,
  listening: Promise<TransportListener>,
  signal: AbortSignal,
): Promise<Transport> {
  const client = new HttpClient(url, options, (secrets) => {
    void listening.then((listener) => listener.onSecrets?.(secrets));
  });
  const overHttp = () => new StreamableHttpTransport(client, options, methods);
  signal.throwIfAborted();
  if (options.WebSocket === false) return overHttp();
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
  const report = (message: string) => {
    void listening.then(({ onDiagnostic }) =>
      onDiagnostic({ rule: 'transport.chosen', severity: 'info', message }),
    );
  };
  const where = urlForMessages(url);
  try {
    const make = await webSocketFor(options);
    if (!make) throw noWebSocket();
    const socket = await openWebSocket(make, client, options, signal);
    endIfSilent(socket, options.idleTimeoutMs ?? defaultSocketIdleMs);
    report(`The agent at ${where} is reached over a WebSocket.`);
    return new WebSocketTransport(socket, options);
  } catch (error) {
    signal.throwIfAborted();
    if (!isHttp) throw error;
    const why = error instanceof Error ? error.message : '';
    report(`The agent at ${where} is reached over streamable HTTP: a WebSocket could not be opened. ${why}`);
    return overHttp();
  }
}

function noWebSocket(): Error {
  return isNode
    ? new ConnectionClosedError(
        'This version of Node has no WebSocket. Install the package ws, or use Node 22 or later.',
      )
    : new InvalidParamsError(
        'remoteTransport: the WebSocket of this platform cannot send headers. Use an https: URL, or a cookie.',
      );
}
