import { type CookieStore, isEncrypted } from '../remote-options.ts';

/** How many cookies of one server are kept. */
export const maxCookies = 50;

/** The maximum length of a cookie, in characters. Longer ones are ignored, as in browsers. */
export const maxCookieLength = 4096;

/** How many servers are known. The oldest is forgotten first. */
export const maxOrigins = 20;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** Milliseconds since 1970; `Infinity` until the store is dropped. */
  readonly expires: number;
}

/**
 * Creates a store for cookies, which keeps them in memory. A cookie is sent back to the scheme, host and port that set
 * it, and to no other, whatever its `Domain` says. `Path`, `Secure`, `Max-Age` and `Expires` are obeyed.
 *
 * A transport makes a store of its own. Pass one to keep the cookies when the connection is opened again:
 *
 * @example
 * ```ts
 * const cookies = memoryCookies();
 * const connection = await connect(() => remoteTransport(url, { cookies }), { clientInfo, reconnect: {} });
 * ```
 */
export function memoryCookies(): CookieStore {
  const origins = new Map<string, Map<string, Cookie>>();
  return {
    async setCookie(header, url) {
      if (header.length > maxCookieLength) return;
      // A program without remote agents does not load the package.
      const { parseSetCookie } = await import('set-cookie-parser');
      const at = new URL(url);
      // A header without a name has none.
      const parsed = parseSetCookie(header, { decodeValues: false, silent: true })[0];
      if (!parsed || parsed.name === '') return;
      const { name, value, path, maxAge, expires, secure } = parsed;
      const cookies = origins.get(originOf(at)) ?? new Map<string, Cookie>();
      // The newest server is last.
      origins.delete(originOf(at));
      origins.set(originOf(at), cookies);
      if (origins.size > maxOrigins) origins.delete(origins.keys().next().value ?? '');
      const until =
        maxAge !== undefined ? Date.now() + maxAge * 1000 : (expires?.getTime() ?? Number.POSITIVE_INFINITY);
      const defaultPath = at.pathname.slice(0, Math.max(1, at.pathname.lastIndexOf('/')));
      const covered = path?.startsWith('/') ? path : defaultPath;
      // Cookies with other paths are other cookies.
      const key = `${name};${covered}`;
      cookies.delete(key);
      if (until <= Date.now() || (secure && !isEncrypted(at))) return;
      cookies.set(key, { name, value, path: covered, expires: until });
      if (cookies.size > maxCookies) cookies.delete(cookies.keys().next().value ?? '');
    },
    getCookieString(url) {
      const at = new URL(url);
      const now = Date.now();
      return [...(origins.get(originOf(at)) ?? new Map<string, Cookie>()).values()]
        .filter((cookie) => cookie.expires > now && covers(cookie.path, at.pathname))
        .sort((a, b) => b.path.length - a.path.length)
        .map(({ name, value }) => `${name}=${value}`)
        .join('; ');
    },
  };
}

/** The origin of a URL. That of a WebSocket is the one of its HTTP server. */
export function originOf({ protocol, host }: URL): string {
  return `${protocol.replace('ws', 'http')}//${host}`;
}

/** Whether a cookie's path covers the path of a URL, as RFC 6265 says in section 5.1.4. */
function covers(path: string, pathname: string): boolean {
  if (!pathname.startsWith(path)) return false;
  return path.length === pathname.length || path.endsWith('/') || pathname[path.length] === '/';
}
