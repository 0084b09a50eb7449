import * as v from 'valibot';
import { preview } from '../base/diagnostic.ts';
import { InvalidParamsError } from '../base/errors.ts';
import { kindOf } from '../base/kind-of.ts';
import {
  callback,
  checkOptions,
  hasMethods,
  integerBetween,
  optional,
  optionsObject,
  timeoutMs,
} from '../base/options.ts';
import { withoutQueryValues, withoutUrlCredentials } from '../base/secrets.ts';
import type { WebSocketLike } from './websocket.ts';

/**
 * Keeps the cookies of servers. A `CookieJar` of the package `tough-cookie` is one, and so is what
 * {@link memoryCookies} returns.
 */
export interface CookieStore {
  /** Returns the value of the `Cookie` header for a URL; an empty string if there is none. */
  getCookieString(url: string): string | Promise<string>;
  /**
   * Takes a `Set-Cookie` header that came from a URL. What it returns is awaited, and ignored, also if it rejects: a
   * store can refuse a cookie.
   */
  setCookie(header: string, url: string): unknown;
}

/** HTTP headers by their names. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** What makes a WebSocket takes. */
type WebSocketParameters = [
  url: string,
  // The platform takes subprotocols here, the package `ws` takes its options after them.
  protocols?: string[],
  options?: { readonly headers?: HeaderRecord; readonly maxPayload?: number },
];

/** Creates a WebSocket, as `WebSocket` of the platform and of the package `ws` do. */
export type WebSocketConstructor = new (...parameters: WebSocketParameters) => WebSocketLike;

/** Options of {@link remoteTransport}. An unknown option is refused. */
export interface RemoteTransportOptions {
  /**
   * Headers for each request, such as `Authorization`. A function is called before the first request, and again when the
   * server answers a request with 401, so that it can return a new token. If the server refuses this one too, or if
   * `headers` is not a function, the connection ends. Default: none.
   */
  readonly headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>) | undefined;
  /**
   * Sends the requests. Pass a function to use a proxy, a certificate of your own, or HTTP/2 in Node. Default: the
   * platform's `fetch`.
   */
  readonly fetch?: typeof fetch | undefined;
  /**
   * Keeps the server's cookies. Pass the same store to each transport of a connection with `reconnect`, so that a load
   * balancer sends the new connection to the same server. In a browser the browser keeps them instead. Default: a store
   * for this transport.
   */
  readonly cookies?: CookieStore | undefined;
  /**
   * Creates the WebSocket: a class, or a function that returns a socket, for example one with a subprotocol or one that is
   * open already. `false`: none, so that an `https:` URL uses streamable HTTP at once. Default: that of the package `ws` in
   * Node if it is installed, otherwise the platform's.
   *
   * @example
   * ```ts
   * remoteTransport('wss://agents.example.com/acp', { WebSocket: (url) => new WebSocket(url, ['acp']) });
   * ```
   */
  readonly WebSocket?:
    | WebSocketConstructor
    | ((...parameters: WebSocketParameters) => WebSocketLike)
    | false
    | undefined;
  /**
   * Milliseconds until the server has answered the upgrade or the opening of a stream. Default: 10,000 for an upgrade;
   * 30,000 for a stream, whose headers some proxies pass on only with its first comment.
   */
  readonly openTimeoutMs?: number | undefined;
  /** Milliseconds until the server has taken a message. Its answer may come later. Default: 30,000. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Milliseconds without a sign of the server, after which the channel counts as broken. A socket of `ws` is pinged
   * three times within it; other sockets do not tell. Default: 90,000 for such a socket; 60,000 for a stream of events on
   * which the server has sent a comment, which it does to keep the stream alive; no limit for other streams.
   */
  readonly idleTimeoutMs?: number | undefined;
  /** The maximum length of a message, in bytes of UTF-8. Default: 128 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Whether `headers` may be sent without TLS to another host than the own machine, where others can read them.
   * Default: `false`.
   */
  readonly allowPlainHttp?: boolean | undefined;
}

export const defaultOpenTimeoutMs = 10_000;

/** How long a WebSocket may be silent, in milliseconds. */
export const defaultSocketIdleMs = 90_000;

const headerRecord = v.custom<HeaderRecord>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(([name, text]) => isHeader(name, text)),
  // A header may be a secret, so that its value is not in the message.
  'must be an object of header names with their values',
);

const RemoteOptionsSchema = optionsObject({
  headers: optional(
    v.union(
      [callback, headerRecord],
      'must be an object of header names with their values, or a function that returns one',
    ),
  ),
  fetch: optional(callback),
  cookies: optional(
    v.custom<CookieStore>(
      (value) => hasMethods(value, 'getCookieString', 'setCookie'),
      ({ input }) => `must have getCookieString and setCookie; got ${kindOf(input)}`,
    ),
  ),
  WebSocket: optional(
    v.custom((value) => value === false || typeof value === 'function', 'must be a function, or false'),
  ),
  openTimeoutMs: optional(timeoutMs),
  requestTimeoutMs: optional(timeoutMs),
  idleTimeoutMs: optional(timeoutMs),
  maxMessageBytes: optional(integerBetween(1, Number.MAX_SAFE_INTEGER)),
  allowPlainHttp: optional(v.boolean()),
} satisfies { readonly [K in keyof Required<RemoteTransportOptions>]: v.GenericSchema });

/** Checks the URL and the options of {@link remoteTransport}. Returns the URL. */
export function checkRemote(url: string | URL, options: RemoteTransportOptions): URL {
  checkOptions('remoteTransport', RemoteOptionsSchema, options, 'Nothing was sent.');
  const ofSockets = options.WebSocket === false ? [] : ['ws:', 'wss:'];
  const parsed = readUrl(url, [...ofSockets, 'http:', 'https:']);
  if (options.headers !== undefined && !options.allowPlainHttp) assertPrivate(parsed);
  return parsed;
}

function readUrl(url: unknown, protocols: readonly string[]): URL {
  const wrong = (what: string) => new InvalidParamsError(`remoteTransport: url ${what}. Nothing was sent.`);
  let parsed: URL;
  try {
    parsed = new URL(String(url));
  } catch {
    const shown = preview(withoutUrlCredentials(withoutQueryValues(String(url))));
    throw wrong(`must be a URL such as https://agents.example.com/acp; got ${shown}`);
  }
  if (!protocols.includes(parsed.protocol)) {
    const expected = protocols.map((protocol) => `${protocol}//`).join(', ');
    throw wrong(`must begin with one of ${expected}; got ${urlForMessages(parsed)}`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw wrong('has a user name or a password. Pass them in the option headers, as Authorization');
  }
  parsed.hash = '';
  return parsed;
}

/** @throws {@link InvalidParamsError} if others on the network could read what is sent to the URL. */
function assertPrivate(url: URL): void {
  if (isEncrypted(url) || isLoopback(url.hostname)) return;
  throw new InvalidParamsError(
    `remoteTransport: the headers would be sent to ${urlForMessages(url)} without TLS, where others can read them. Nothing was sent. Use ${url.protocol === 'ws:' ? 'wss' : 'https'}:, or pass allowPlainHttp: true if the network is yours.`,
  );
}

/** Whether the URL uses TLS. */
export function isEncrypted({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'wss:';
}

/**
 * Whether a host name of a URL is this machine's. Names such as `app.localhost` are not: the resolver of Node can find
 * them outside of this machine.
 */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** A URL for messages: without the values of its query, where servers take tokens, and without its fragment. */
export function urlForMessages(url: URL): string {
  return withoutUrlCredentials(withoutQueryValues(url.href.replace(/#.*/s, '')));
}

function isHeader(name: string, value: unknown): boolean {
  // The characters of a token and of a value in RFC 9110. The platform repeats others in the text of its error.
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) && typeof value === 'string' && isHeaderValue(value);
}

/** Whether HTTP can carry a value. */
export function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
}

/**
 * Headers of the caller's function, checked.
 *
 * @throws {@link InvalidParamsError}
 */
export function checkedHeaders(headers: unknown): HeaderRecord {
  const result = v.safeParse(headerRecord, headers);
  if (result.success) return result.output;
  throw new InvalidParamsError(
    'The function headers must return an object of header names with their values. Nothing was sent.',
  );
}
