import { LateTransport } from '../core/transport/late-transport.ts';
import { checkRemote, type RemoteTransportOptions } from '../core/transport/remote-options.ts';
import type { Transport } from '../core/transport/transport.ts';

/**
 * Creates a channel to an agent on another machine, in Node and in pages. The URL decides how:
 *
 * - `ws:` and `wss:`: a WebSocket
 * - `http:` and `https:`: a WebSocket if the server upgrades the connection, and streamable HTTP otherwise. The
 *   diagnostic `transport.chosen` says which way is used. With `WebSocket: false`, streamable HTTP at once.
 *
 * In Node the WebSocket is the one of the package `ws`, if it is installed: it sends `headers` and cookies, and can be
 * paused. Otherwise it is the platform's. A browser's WebSocket cannot have headers, so that an `https:` URL with
 * `headers` uses streamable HTTP there, and a `wss:` URL with them is refused.
 *
 * Streamable HTTP is a POST for each message of the client, and streams of server-sent events for the agent's messages,
 * one for the connection and one for each session. Node's `fetch` uses HTTP/1.1, with a connection for each stream. That
 * of the package `undici` speaks HTTP/2, with as many connections. A browser without HTTP/2 has six connections for a
 * server, so that four sessions are the most.
 *
 * When a call resolves, everything that the agent sent for its session before is in the conversation, as with a program
 * on this machine. Over streamable HTTP, an answer to `session/new` or `session/load` comes on another stream than the
 * messages of its session. It is held until the agent has answered one more request of the session,
 * `_acp-client-sdk/sync`, with the error that it does not know it. If the agent does not answer it on the session's
 * stream, the weaker promise of the diagnostic `transport.order` holds: the answer waits until the stream has been silent
 * for a moment.
 *
 * A stream whose events have ids is opened again where it broke. Without ids, what was lost is not known: the session
 * then gets a gap in its conversation and is loaded or resumed again, if the connection has `reconnect`. A message whose
 * fate is unknown is never sent again.
 *
 * @param url - The endpoint, such as `https://agents.example.com/acp`.
 * @throws {@link InvalidParamsError} if the URL or an option is wrong.
 *
 * @example
 * ```ts
 * const connection = await connect(() => remoteTransport('https://agents.example.com/acp'), {
 *   clientInfo: { name: 'my-editor', version: '1.0.0' },
 *   reconnect: {},
 * });
 * ```
 * @see https://agentclientprotocol.com/rfds/streamable-http-websocket-transport
 */
export function remoteTransport(url: string | URL, options: RemoteTransportOptions = {}): Transport {
  const target = checkRemote(url, options);
  // The code is loaded now: a program without remote agents does not load it.
  return new LateTransport(async (listening, signal) => {
    const { openRemote } = await import('../core/transport/http/choose.ts');
    const { sessionMethods } = await import('../core/protocol/dialects.ts');
    return openRemote(target, options, sessionMethods, listening, signal);
  });
}
