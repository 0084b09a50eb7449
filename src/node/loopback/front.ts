import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A request that is not served, with its status and what the answer says. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 429;
  readonly reason: string;
}

/** What a server on loopback serves, and to whom. */
export interface FrontRules {
  readonly port: number;
  /** The secret of those that may ask, in the header `Authorization: Bearer`. */
  readonly token: string;
  /** The methods of a path. `undefined` if there is nothing at the path. */
  readonly methodsOf: (url: string) => readonly string[] | undefined;
}

/** What a request has at most once. */
const singleHeaders = ['host', 'authorization', 'origin'];

/** What a request of a page has at most once. */
const singlePageHeaders = [...singleHeaders, 'sec-fetch-site', 'content-type', 'x-panel-page'];

/** Returns a new secret. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether a token is the expected one. The time that it takes does not depend on where they differ. */
export function isToken(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * Checks a request of a program before anything of it is used. Other programs of this machine can connect to the port,
 * and pages in a browser can, also under a host name that an attacker points to loopback.
 */
export function refusalOf(
  request: IncomingMessage,
  { port, token, methodsOf }: FrontRules,
): Refusal | undefined {
  return (
    addressRefusal(request, port, singleHeaders) ??
    browserRefusal(request) ??
    tokenRefusal(request, token) ??
    routeRefusal(request, methodsOf)
  );
}

/** What a server on loopback serves to a page that it has sent itself. */
export interface PageRules extends FrontRules {
  /** Whether a path is served without the token, because it has no data. */
  readonly isPublic: (url: string) => boolean;
}

/** Checks a request of the own page in the same way. Requests of all other pages are refused. */
export function pageRefusalOf(
  request: IncomingMessage,
  { port, token, methodsOf, isPublic }: PageRules,
): Refusal | undefined {
  return (
    addressRefusal(request, port, singlePageHeaders) ??
    foreignPageRefusal(request) ??
    (isPublic(request.url ?? '') ? undefined : tokenRefusal(request, token)) ??
    routeRefusal(request, methodsOf)
  );
}

function addressRefusal(
  { headers: { host }, headersDistinct }: IncomingMessage,
  port: number,
  single: readonly string[],
): Refusal | undefined {
  // Two programs could read a request differently that has such a header twice.
  const repeated = single.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  if (repeated) return { status: 400, reason: `The header ${repeated} is there more than once.` };
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`
    ? undefined
    : { status: 403, reason: 'The header Host names another host.' };
}

function browserRefusal({ headers }: IncomingMessage): Refusal | undefined {
  // Programs do not send it, and browsers send it with every request that could change something.
  // Node's own `fetch` sends `Sec-Fetch-Mode`, but not the site.
  return headers.origin === undefined && headers['sec-fetch-site'] === undefined
    ? undefined
    : { status: 403, reason: 'Pages in a browser are not served.' };
}

function foreignPageRefusal({ headers }: IncomingMessage): Refusal | undefined {
  const { host, origin } = headers;
  const site = headers['sec-fetch-site'];
  const isOwn =
    (origin === undefined || origin === `http://${host}`) &&
    // `none`: the user has typed the address, or another program has opened it.
    (site === undefined || site === 'same-origin' || site === 'none');
  return isOwn ? undefined : { status: 403, reason: 'Other pages are not served.' };
}

function tokenRefusal({ headers }: IncomingMessage, token: string): Refusal | undefined {
  const given = /^bearer (.+)/i.exec(headers.authorization ?? '')?.[1] ?? '';
  return isToken(given, token)
    ? undefined
    : { status: 401, reason: 'The token in the header Authorization is wrong.' };
}

function routeRefusal(
  { method = '', url = '' }: IncomingMessage,
  methodsOf: FrontRules['methodsOf'],
): Refusal | undefined {
  const methods = methodsOf(url);
  if (!methods) return { status: 404, reason: 'There is nothing at this path.' };
  return methods.includes(method) ? undefined : { status: 405, reason: 'The method is not served.' };
}

/** Reads a body. Stops where it becomes too long. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<{ readonly body: Buffer } | Refusal> {
  const tooLong: Refusal = { status: 413, reason: `The body has more than ${maxBytes} bytes.` };
  if (request.headers['content-encoding'] !== undefined) {
    return { status: 415, reason: 'A compressed body is not read.' };
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLong;
  const chunks: Buffer[] = [];
  let length = 0;
  // The request stays open where the body is too long, so that it can be answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) return tooLong;
    chunks.push(chunk);
  }
  return { body: Buffer.concat(chunks) };
}
