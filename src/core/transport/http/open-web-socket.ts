import { errorMessage } from '../../base/diagnostic.ts';
import { type AcpError, ConnectionClosedError, HttpError, TimeoutError } from '../../base/errors.ts';
import { hasMethods } from '../../base/options.ts';
import { isNode } from '../../base/platform.ts';
import { deferred, maxTimerMs, unrefTimer, withLimits } from '../../base/wait.ts';
import { defaultMaxMessageBytes } from '../message-text.ts';
import {
  defaultOpenTimeoutMs,
  type HeaderRecord,
  type RemoteTransportOptions,
  type WebSocketConstructor,
} from '../remote-options.ts';
import { closing, faultOf, open, type WebSocketLike } from '../websocket.ts';
import type { HttpClient } from './http-client.ts';
import { fetchCause } from './reports.ts';

/** Makes a WebSocket. */
export type MakeWebSocket = (url: string, headers: HeaderRecord) => WebSocketLike;

/** The WebSocket of the platform. Node's takes headers instead of subprotocols, a browser's does not. */
type PlatformWebSocket = new (url: string, options?: { readonly headers: HeaderRecord }) => WebSocketLike;

/** The part of a socket of `ws` that tells of the server's answer. */
interface UpgradeEvents {
  on(event: 'upgrade', listener: (response: UpgradeResponse) => void): unknown;
  on(event: 'unexpected-response', listener: (request: unknown, response: UpgradeResponse) => void): unknown;
}

interface UpgradeResponse {
  readonly statusCode?: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * The WebSocket to use: the caller's, that of the package `ws` in Node, or the platform's. `undefined` if there is none,
 * or if there are headers which it cannot send.
 */
export async function webSocketFor(options: RemoteTransportOptions): Promise<MakeWebSocket | undefined> {
  if (options.WebSocket) return ofNode(options.WebSocket, options);
  if (isNode) {
    // Empty in the bundle of a page, which an Electron window with Node can load.
    const loaded: Partial<typeof import('./ws-package.ts')> = await import('./ws-package.ts');
    const installed = await loaded.installedWebSocket?.();
    if (installed) return ofNode(installed, options);
  }
  // The types of Node 20 do not have it.
  const platform = Reflect.get(globalThis, 'WebSocket') as PlatformWebSocket | undefined;
  if (!platform) return undefined;
  if (isNode) return (url, headers) => new platform(url, { headers });
  return options.headers === undefined ? (url) => new platform(url) : undefined;
}

function ofNode(
  make: NonNullable<Exclude<RemoteTransportOptions['WebSocket'], false>>,
  options: RemoteTransportOptions,
): MakeWebSocket {
  // The default of `ws` is lower than that of the other transports.
  const { maxMessageBytes: maxPayload = defaultMaxMessageBytes } = options;
  return (url, headers) =>
    isClass(make) ? new make(url, [], { headers, maxPayload }) : make(url, [], { headers, maxPayload });
}

/** An arrow function has no prototype. A function that has one returns its socket also with `new`. */
function isClass(make: object): make is WebSocketConstructor {
  return 'prototype' in make;
}

/** Opens a WebSocket. Rejects if the server does not upgrade the connection. */
export async function openWebSocket(
  make: MakeWebSocket,
  client: HttpClient,
  options: RemoteTransportOptions,
  signal: AbortSignal,
): Promise<WebSocketLike> {
  try {
    return await openOnce(make, client, options, signal);
  } catch (error) {
    const refusal = error instanceof ConnectionClosedError ? error.cause : undefined;
    const isLogin = refusal instanceof HttpError && refusal.status === 401;
    if (!isLogin || !(await client.renewHeaders())) throw error;
    return openOnce(make, client, options, signal);
  }
}

async function openOnce(
  make: MakeWebSocket,
  client: HttpClient,
  options: RemoteTransportOptions,
  signal: AbortSignal,
): Promise<WebSocketLike> {
  const headers = await client.upgradeHeaders(signal);
  signal.throwIfAborted();
  const url = new URL(client.url);
  url.protocol = url.protocol.replace('http', 'ws');
  const where = client.show(url);
  const timeoutMs = options.openTimeoutMs ?? defaultOpenTimeoutMs;
  const failed = (what: string, error: unknown) =>
    new ConnectionClosedError(`The WebSocket ${where} could not be ${what}.`, {
      cause: fetchCause(error, (text) => client.withoutSecrets(text)),
    });
  const because = (error: unknown) => `: ${client.withoutSecrets(errorMessage(error))}`;
  let socket: WebSocketLike;
  try {
    socket = make(url.href, headers);
  } catch (error) {
    throw failed(`made${because(error)}`, error);
  }
  const discard = () => {
    // A socket of `ws` that is connecting fails with an error event, which has a listener.
    socket.close();
    socket.terminate?.();
  };
  const opened = deferred<WebSocketLike>();
  let refusal: AcpError | undefined;
  if (hasUpgradeEvents(socket)) {
    socket.on('upgrade', ({ headers: answered }) => {
      void client.takeCookies([answered['set-cookie'] ?? []].flat(), client.url);
    });
    socket.on('unexpected-response', (_request, { statusCode: status = 0, headers: answered }) => {
      const message = `${where} answered with status ${status} instead of a WebSocket.`;
      const cause = new HttpError(message, { status, body: '' });
      const refused = new ConnectionClosedError(message, { cause });
      refusal = refused;
      // What is tried next sends them.
      void client.takeCookies([answered['set-cookie'] ?? []].flat(), client.url).then(() => {
        opened.reject(refused);
        discard();
      });
    });
  }
  socket.addEventListener('error', (event) => {
    const cause = faultOf(event);
    refusal ??= failed(`opened${cause === undefined ? '' : because(cause)}`, cause);
  });
  const closed = () =>
    opened.reject(
      refusal ?? new ConnectionClosedError(`The WebSocket ${where} was closed before it was open.`),
    );
  socket.addEventListener('close', closed);
  socket.addEventListener('open', () => opened.resolve(socket));
  // A function can return a socket that it has opened before.
  if (socket.readyState === open) opened.resolve(socket);
  if (socket.readyState >= closing) closed();
  return withLimits(opened.promise, {
    signal,
    timeoutMs,
    timeoutError: () =>
      new TimeoutError(`The WebSocket ${where} did not open within ${timeoutMs} ms.`, { timeoutMs }),
    onLimit: discard,
  });
}

function hasUpgradeEvents(socket: WebSocketLike): socket is WebSocketLike & UpgradeEvents {
  return hasMethods(socket, 'on');
}

/** How often the server is asked within the time limit. */
const pingsPerLimit = 3;

/** The part of a socket of `ws` that browsers do not have. */
interface Pingable {
  ping(): void;
  terminate(): void;
  /** Whether the client does not read now. Then it does not see answers either. */
  readonly isPaused: boolean;
  on(event: 'message' | 'ping' | 'pong' | 'close', listener: () => void): unknown;
}

/**
 * Ends a socket whose server has not been heard for a while. Without it, a connection that was lost silently, for
 * example because the machine slept, would look open for a quarter of an hour. Sockets that cannot ping are left alone.
 */
export function endIfSilent(socket: WebSocketLike, limitMs: number): void {
  if (!isPingable(socket) || !Number.isFinite(limitMs)) return;
  let unanswered = 0;
  const heard = () => {
    unanswered = 0;
  };
  const timer = setInterval(
    () => {
      if (socket.isPaused) return heard();
      if (unanswered === pingsPerLimit) return socket.terminate();
      unanswered++;
      socket.ping();
    },
    Math.min(limitMs / pingsPerLimit, maxTimerMs),
  );
  unrefTimer(timer);
  for (const sign of ['message', 'ping', 'pong'] as const) socket.on(sign, heard);
  socket.on('close', () => clearInterval(timer));
}

function isPingable(socket: object): socket is Pingable {
  return hasMethods(socket, 'ping', 'terminate', 'on');
}
