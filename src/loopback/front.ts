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
  readonly path: string;
  readonly methods: readonly string[];
  /** The secret of those that may ask, in the header `Authorization: Bearer`. */
  readonly token: string;
}

/** What a request has at most once. */
const singleHeaders = ['host', 'authorization', 'origin'] as const;

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
 * Checks a request before anything of it is used. Other programs of this machine can connect to the port, and pages in
 * a browser can, also under a host name that an attacker points to loopback.
 */
export function refusalOf(
  { headers, headersDistinct, method = '', url = '' }: IncomingMessage,
  { port, path, methods, token }: FrontRules,
): Refusal | undefined {
  // Two programs could read a request differently that has such a header twice.
  const repeated = singleHeaders.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
  if (repeated) return { status: 400, reason: `The header ${repeated} is there more than once.` };
  const { host, origin, authorization = '' } = headers;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    return { status: 403, reason: 'The header Host names another host.' };
  }
  // Programs do not send it, and browsers send it with every request that could change something.
  // Node's own `fetch` sends `Sec-Fetch-Mode`, but not the site.
  if (origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    return { status: 403, reason: 'Pages in a browser are not served.' };
  }
  const [, given = ''] = /^bearer (.+)$/i.exec(authorization) ?? [];
  if (!isToken(given, token))
    return { status: 401, reason: 'The token in the header Authorization is wrong.' };
  if (url !== path) return { status: 404, reason: 'There is nothing at this path.' };
  if (!methods.includes(method)) return { status: 405, reason: 'The method is not served.' };
  return undefined;
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
