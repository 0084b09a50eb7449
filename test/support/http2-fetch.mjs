import { once } from 'node:events';
import { connect } from 'node:http2';
import { Readable } from 'node:stream';

/** How much a server sends before it waits for the client, in bytes: for a stream, and for the connection. */
const windowBytes = { stream: 4 * 1024 * 1024, connection: 16 * 1024 * 1024 };

/**
 * A `fetch` that sends all requests to a server over one HTTP/2 connection. That of undici opens another connection for
 * each message that is sent while streams are open.
 *
 * @param origin - Such as `https://127.0.0.1:8137`.
 * @param tls - Options of TLS, such as `ca`.
 */
export function http2Fetch(origin, tls = {}) {
  let session;
  let open = 0;
  const connected = () => {
    if (session && !session.closed && !session.destroyed) return session;
    const made = connect(origin, { ...tls, settings: { initialWindowSize: windowBytes.stream } });
    made.on('connect', () => made.setLocalWindowSize(windowBytes.connection));
    // The requests that it concerns fail.
    made.on('error', () => {});
    session = made;
    return made;
  };
  return async (url, { method = 'GET', headers, body, signal } = {}) => {
    signal?.throwIfAborted();
    const { pathname, search } = new URL(url);
    const used = connected();
    used.ref();
    open++;
    const sent = {
      ...Object.fromEntries(new Headers(headers)),
      ':method': method,
      ':path': pathname + search,
    };
    const stream = used.request(sent, { endStream: body === undefined, signal });
    stream.on('error', () => {});
    stream.on('close', () => {
      open--;
      // A program may end while nothing is under way.
      if (open === 0) used.unref();
    });
    const answered = once(stream, 'response');
    // Made in the event itself: an answer without a body can end before the promise resolves, and cannot be read then.
    let content = null;
    stream.once('response', () => {
      if (stream.readable) content = Readable.toWeb(stream);
    });
    if (body !== undefined) stream.end(body);
    const [{ ':status': status, ...received }] = await answered;
    const answer = new Headers();
    for (const [name, value] of Object.entries(received)) {
      for (const one of [value].flat()) answer.append(name, String(one));
    }
    return new Response(status === 204 || status === 304 ? null : content, { status, headers: answer });
  };
}
