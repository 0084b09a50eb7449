import { errorMessage } from '../../base/diagnostic.ts';
import { ConnectionClosedError, TimeoutError } from '../../base/errors.ts';
import { SentSecrets, secretsInHeaders, secretsInUrl } from '../../base/secrets.ts';
import { abortWith, delay, maxTimerMs, withLimits } from '../../base/wait.ts';
import {
  type CookieStore,
  checkedHeaders,
  type HeaderRecord,
  isEncrypted,
  isHeaderValue,
  type RemoteTransportOptions,
  urlForMessages,
} from '../remote-options.ts';
import { memoryCookies, originOf } from './cookies.ts';
import { httpError, retryAfterMs } from './http-answers.ts';
import { fetchCause, reasonOf, timeoutError } from './reports.ts';

/** How often a request that the server postponed with `Retry-After` is sent again. */
export const maxPostponements = 5;

/** The longest wait before a request is sent again, in milliseconds. If the server asks for more, the request fails. */
export const maxPostponementMs = 60_000;

/**
 * The streams of a connection have one URL. The cache of a browser would open one after the other. The types are those of
 * Node, which has no cache.
 */
const withoutCache = { cache: 'no-store' };

/** One request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: HeaderRecord;
  readonly body?: string;
  /** Milliseconds until the headers of the answer are there. */
  readonly timeoutMs: number;
  /** What the request is for, for error messages. */
  readonly what: string;
  /** Belongs to this request alone. Aborting it ends the request, and the body of its answer. */
  readonly signal: AbortSignal;
}

/** Sends requests to one URL: headers and cookies, redirects, a new login, and what the server postponed. */
export class HttpClient {
  readonly #fetch: typeof fetch;
  readonly #cookies: CookieStore;
  readonly #givenHeaders: RemoteTransportOptions['headers'];
  readonly #secrets = new SentSecrets();
  readonly #onSecrets: (secrets: readonly string[]) => void;
  readonly #origin: string;
  #url: URL;
  #headers: Promise<HeaderRecord> | undefined;

  /**
   * @param onSecrets - Called with what is secret in the requests, before they are sent.
   */
  constructor(url: URL, options: RemoteTransportOptions, onSecrets: (secrets: readonly string[]) => void) {
    this.#url = url;
    this.#onSecrets = onSecrets;
    this.#origin = originOf(url);
    // Called as a method of another object, the platform's function throws.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#cookies = options.cookies ?? memoryCookies();
    this.#givenHeaders = options.headers;
    this.#remember(secretsInUrl(url.href));
  }

  get url(): URL {
    return this.#url;
  }

  /**
   * Sends a request, and returns an answer with a status of success. A request is sent again only where the server has
   * said that it did not take it: after 401, and after 429 and 503 with `Retry-After`.
   *
   * @throws {@link HttpError} for any other status.
   * @throws {@link ConnectionClosedError} if there was no answer.
   * @throws {@link TimeoutError} if it did not come in time.
   */
  async send(request: HttpRequest): Promise<Response> {
    let isRenewed = false;
    for (let postponements = 0; ; ) {
      // The caller's function may never return.
      const headers = await withLimits(this.#currentHeaders(), { signal: request.signal });
      const response = await this.#follow(request, headers);
      if (response.ok) return response;
      const error = await httpError(request.what, this.show(this.#url), response, this.#secrets);
      if (response.status === 401 && !isRenewed && (await this.#renew(headers))) {
        isRenewed = true;
        continue;
      }
      const waitMs = postponement(response);
      if (waitMs === undefined || postponements === maxPostponements) throw error;
      postponements++;
      await delay(waitMs, request.signal);
      if (request.signal.aborted) throw error;
    }
  }

  /** The headers of a WebSocket's upgrade. */
  async upgradeHeaders(signal: AbortSignal): Promise<HeaderRecord> {
    const headers = await withLimits(this.#currentHeaders(), { signal });
    return Object.fromEntries(await this.#headersFor(this.#url, headers, {}));
  }

  /** Asks for new headers after 401. Returns `false` if nothing can give others. */
  async renewHeaders(): Promise<boolean> {
    return this.#renew(await this.#currentHeaders());
  }

  /** Takes the cookies of an answer. Never rejects: a store refuses cookies that do not belong to the server. */
  async takeCookies(headers: readonly string[], url: URL): Promise<void> {
    for (const header of headers) {
      try {
        await this.#cookies.setCookie(header, url.href);
      } catch {}
    }
  }

  /** Takes what is secret out of a text of the server. */
  withoutSecrets(text: string): string {
    return this.#secrets.removeFromText(text);
  }

  /** A URL for messages. A redirect can repeat what was sent in any part of it. */
  show(url: URL): string {
    return this.withoutSecrets(urlForMessages(url));
  }

  #currentHeaders(): Promise<HeaderRecord> {
    this.#headers ??= this.#callForHeaders();
    return this.#headers;
  }

  async #callForHeaders(): Promise<HeaderRecord> {
    const given = this.#givenHeaders ?? {};
    const headers = typeof given === 'function' ? checkedHeaders(await returnedBy(given)) : given;
    this.#remember(secretsInHeaders(headers));
    return headers;
  }

  /**
   * Asks for new headers, once for all requests that were refused with the same ones. Returns `false` if nothing can
   * give others.
   */
  async #renew(refused: HeaderRecord): Promise<boolean> {
    if (typeof this.#givenHeaders !== 'function') return false;
    if ((await this.#currentHeaders()) === refused) {
      this.#headers = undefined;
      await this.#currentHeaders();
    }
    return true;
  }

  /** The headers of a request to a URL: those of the caller if it is theirs, the cookies, and those of the protocol. */
  async #headersFor(url: URL, given: HeaderRecord, own: HeaderRecord): Promise<Headers> {
    const headers = new Headers(originOf(url) === this.#origin ? given : {});
    const stored = await this.#cookies.getCookieString(url.href);
    // The platform would repeat it in the text of its error.
    if (!isHeaderValue(stored)) {
      throw new ConnectionClosedError(
        'The option cookies returned a text that no Cookie header can have. Nothing was sent. Check the store.',
      );
    }
    if (stored !== '') {
      this.#remember(secretsInHeaders({ cookie: stored }));
      const cookie = headers.get('cookie');
      headers.set('cookie', cookie === null ? stored : `${cookie}; ${stored}`);
    }
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    return headers;
  }

  #remember(found: readonly string[]): void {
    this.#secrets.add(found);
    this.#onSecrets(found);
  }

  async #follow(request: HttpRequest, headers: HeaderRecord): Promise<Response> {
    let url = this.#url;
    for (let count = 0; ; count++) {
      const response = await this.#fetchOnce(request, headers, url);
      const to = redirectOf(response, url);
      if (to === undefined) return response;
      response.body?.cancel().catch(() => {});
      checkRedirect(request.what, { status: response.status, count, from: url, to }, (one) => this.show(one));
      // The server's other messages belong to the same place.
      this.#url = to;
      url = to;
    }
  }

  async #fetchOnce(request: HttpRequest, headers: HeaderRecord, url: URL): Promise<Response> {
    const { method, body, timeoutMs, what, signal } = request;
    const allHeaders = await this.#headersFor(url, headers, request.headers);
    const control = new AbortController();
    // Also after the headers have come: the signal ends the body too.
    const stopFollowing = abortWith(control, signal);
    const limit = setTimeout(
      () => control.abort(timeoutError(what, this.show(url), timeoutMs)),
      Math.min(timeoutMs, maxTimerMs),
    );
    try {
      const response = await this.#fetch(url.href, {
        method,
        headers: allHeaders,
        ...(body !== undefined && { body }),
        // The platform would send the headers to wherever the server redirects.
        redirect: 'manual',
        credentials: 'include',
        ...withoutCache,
        signal: control.signal,
      });
      await this.takeCookies(response.headers.getSetCookie?.() ?? [], url);
      if (response.type === 'opaqueredirect') {
        throw new ConnectionClosedError(
          `${what}: ${this.show(url)} redirects, and a browser does not say where to. Use the final URL.`,
        );
      }
      return response;
    } catch (error) {
      stopFollowing();
      if (error instanceof ConnectionClosedError) throw error;
      if (control.signal.reason instanceof TimeoutError) throw control.signal.reason;
      throw new ConnectionClosedError(
        `${what}: ${this.show(url)} could not be reached: ${this.withoutSecrets(reasonOf(error))}.`,
        { cause: fetchCause(error, (text) => this.withoutSecrets(text)) },
      );
    } finally {
      clearTimeout(limit);
    }
  }
}

async function returnedBy(headers: () => unknown): Promise<unknown> {
  try {
    return await headers();
  } catch (error) {
    const why = errorMessage(error);
    throw new ConnectionClosedError(`The function headers failed: ${why}. Nothing was sent.`, {
      cause: error,
    });
  }
}

/** How long the request has to wait until it may be sent again, in milliseconds. `undefined`: it may not. */
function postponement(response: Response): number | undefined {
  if (response.status !== 429 && response.status !== 503) return undefined;
  const ms = retryAfterMs(response) ?? Number.POSITIVE_INFINITY;
  return ms <= maxPostponementMs ? ms : undefined;
}

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
