import { ConnectionClosedError } from '../../base/errors.ts';
import { isEncrypted } from '../remote-options.ts';

/** How often a request follows a redirect. */
export const maxRedirects = 5;

/** Where a redirect leads. `undefined` if the answer is none. A user name and a password are left out. */
export function redirectOf({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return undefined;
  try {
    const to = new URL(location, from);
    to.username = '';
    to.password = '';
    to.hash = '';
    return to;
  } catch {
    return undefined;
  }
}

/**
 * Checks a redirect.
 *
 * @param show - A URL for messages.
 * @throws {@link ConnectionClosedError} if it is not followed.
 */
export function checkRedirect(
  what: string,
  { status, count, from, to }: { status: number; count: number; from: URL; to: URL },
  show: (url: URL) => string,
): void {
  const where = `${what}: ${show(from)} redirects to ${show(to)} with status ${status}`;
  const refused = (why: string) => new ConnectionClosedError(`${where}, ${why}`);
  if (to.protocol !== 'https:' && to.protocol !== 'http:') throw refused('which is not HTTP. Check the URL.');
  if (isEncrypted(from) && !isEncrypted(to)) {
    throw refused('which has no TLS. The redirect was not followed. Check the URL.');
  }
  // A browser would send a GET without the message.
  if (status !== 307 && status !== 308) throw refused('which loses the message. Use the second URL.');
  if (count >= maxRedirects) {
    throw refused(`after ${maxRedirects} other redirects. Check the configuration of the server.`);
  }
}
