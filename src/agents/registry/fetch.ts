import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '../../core/base/diagnostic.ts';
import {
  ConnectionClosedError,
  InvalidMessageError,
  MessageTooLargeError,
  TimeoutError,
} from '../../core/base/errors.ts';
import { withLimits } from '../../core/base/wait.ts';
import { shownAddress } from './address.ts';

/** What limits a fetch. */
export interface FetchLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const maxRedirects = 5;
const redirectStatuses: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** @see https://www.rfc-editor.org/rfc/rfc9110#field.etag */
const validEtag = /^(?:W\/)?"[\x21\x23-\x7e]{0,256}"$/;

/**
 * Fetches a file within limits. When this settles, nothing of the fetch goes on.
 *
 * @param etag - That of a copy.
 * @returns What the server sent, after decompression, and the name of this version of the content, if the server gave
 *   one. `'unchanged'` if it has the version of the copy.
 * @throws ConnectionClosedError, TimeoutError, MessageTooLargeError, InvalidMessageError, or the reason of the signal.
 */
export async function fetchFile(
  url: URL,
  etag: string | undefined,
  { maxBytes, timeoutMs, signal }: FetchLimits,
) {
  signal?.throwIfAborted();
  const control = new AbortController();
  const load = async () => {
    const response = await follow(url, etag, control.signal);
    if (response.statusCode === 304) return 'unchanged';
    if (response.statusCode !== 200) throw unexpected(url, `answered with the status ${response.statusCode}`);
    // It counts the bytes before decompression, and can be wrong.
    if (Number(response.headers['content-length']) > maxBytes) throw tooLarge(url, maxBytes);
    const given = response.headers.etag ?? '';
    return {
      bytes: await readBody(url, response, maxBytes),
      etag: validEtag.test(given) ? given : undefined,
    };
  };
  const timeoutError = () =>
    new TimeoutError(
      `registry: ${shownAddress(url)} did not send everything within ${timeoutMs} ms. Check the network, and try again or allow more time.`,
      { timeoutMs },
    );
  try {
    return await withLimits(load(), { signal, timeoutMs, timeoutError });
  } finally {
    // Ends the connection, also at a limit, and when the answer was not read to its end.
    control.abort();
  }
}

/** Follows redirects, which lead to https only. */
async function follow(url: URL, etag: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  let target = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await request(target, etag, signal);
    if (!redirectStatuses.has(response.statusCode)) return response;
    response.destroy();
    const { location } = response.headers;
    const next = location && URL.canParse(location, target.href) ? new URL(location, target) : undefined;
    if (next === undefined) throw unexpected(url, 'redirects to no address');
    if (next.protocol !== 'https:' || next.username !== '' || next.password !== '') {
      throw unexpected(url, `redirects to ${next.protocol}//${next.host}, and only https is followed`);
    }
    target = next;
  }
  throw unexpected(url, `redirects more than ${maxRedirects} times`);
}

/** Not with `fetch`: Node 20 opens another connection when a `fetch` is aborted, and keeps it for seconds. */
async function request(url: URL, etag: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
  // Not with the entry: an ES module that imports node:http loads Node's own client for fetch and WebSocket, too.
  const { request: send } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    // A connection that is kept for the next request would outlive this one.
    connection: 'close',
    ...(etag !== undefined && { 'if-none-match': etag }),
  };
  return new Promise((resolve, reject) => {
    send(url, { headers, signal }, resolve)
      .on('error', (error) => reject(unreachable(url, error)))
      // Without an error after an answer that switches to another protocol.
      .on('close', () => reject(unreachable(url, new Error('the connection ended without an answer'))))
      .end();
  });
}

/** The names of the compression in `content-encoding`. */
const gzip = /^(?:x-)?gzip$/i;
const uncompressed = /^(?:identity)?$/i;

async function readBody(url: URL, response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const encoding = response.headers['content-encoding'] ?? '';
  const isCompressed = gzip.test(encoding);
  if (!isCompressed && !uncompressed.test(encoding))
    throw unexpected(url, `compresses with ${encoding}, and not with gzip`);
  // Node gives an answer that breaks off meanwhile to the reader that comes then.
  const { createGunzip } = await import('node:zlib');
  const chunks: Uint8Array[] = [];
  let size = 0;
  const collect = async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > maxBytes) throw new Error('The limit is reached.');
      chunks.push(chunk);
    }
  };
  try {
    await (isCompressed ? pipeline(response, createGunzip(), collect) : pipeline(response, collect));
  } catch (error) {
    // The pipeline may reject with the error of another stream, which ended because of the size.
    throw size > maxBytes ? tooLarge(url, maxBytes) : unreachable(url, error);
  }
  return Buffer.concat(chunks);
}

function unreachable(url: URL, error: unknown): ConnectionClosedError {
  return new ConnectionClosedError(
    `registry: ${shownAddress(url)} cannot be fetched: ${reasonOf(error)}. Check the network, its proxy and the address.`,
    { cause: error },
  );
}

/** The error about several addresses of a host has a code and no message. */
function reasonOf(error: unknown): string {
  const message = errorMessage(error);
  return message === '' && error instanceof Error && 'code' in error ? String(error.code) : message;
}

function unexpected(url: URL, what: string): InvalidMessageError {
  return wrongAnswer(`${shownAddress(url)} ${what}`);
}

export function wrongAnswer(what: string): InvalidMessageError {
  return new InvalidMessageError(`registry: ${what}. Check the address, and ask who runs the server.`);
}

function tooLarge(url: URL, limitBytes: number): MessageTooLargeError {
  return new MessageTooLargeError(
    `registry: ${shownAddress(url)} sends more than ${limitBytes} bytes. Check that this is the address of a registry.`,
    { limitBytes },
  );
}
