import { ConnectionClosedError, InvalidMessageError } from '../../base/errors.ts';
import { onAbort } from '../../base/wait.ts';
import { defaultMaxMessageBytes } from '../message-limit.ts';
import { parseMessage } from '../parse-message.ts';
import type { RemoteTransportOptions } from '../remote-options.ts';
import { maxClosingMs } from '../transport.ts';
import { describeBody, isHtml, notAnAgent, readText } from './http-answers.ts';
import type { HttpClient, HttpRequest } from './http-client.ts';

const defaultRequestTimeoutMs = 30_000;

/** Longer than the 15 seconds until servers send the first comment. A proxy may pass the headers on with it. */
const defaultStreamTimeoutMs = 30_000;

const connectionHeader = 'acp-connection-id';
const sessionHeader = 'acp-session-id';
const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The server's end of a connection: the requests of streamable HTTP, each with its headers and time limits. */
export class Endpoint {
  readonly #client: HttpClient;
  readonly #options: RemoteTransportOptions;
  readonly #ending: AbortSignal;
  #connectionId: string | undefined;

  /** @param ending - Ends all requests but {@link Endpoint.leave}. */
  constructor(client: HttpClient, options: RemoteTransportOptions, ending: AbortSignal) {
    this.#client = client;
    this.#options = options;
    this.#ending = ending;
  }

  /**
   * Sends `initialize`, and returns the text of the answer. It made a connection unless it refuses.
   *
   * @throws {@link InvalidMessageError} if the answer is not one of streamable HTTP.
   */
  async initialize(body: string): Promise<{ readonly text: string; readonly isRefusal: boolean }> {
    // The server starts the agent first. The connection has its own limits for that.
    const noLimit = Number.POSITIVE_INFINITY;
    const { headers, text, isCut } = await this.#post('initialize', body, {}, noLimit);
    const connectionId = headers.get(connectionHeader);
    const message = isCut ? undefined : parseMessage(text);
    // A refusal makes no connection.
    if (connectionId === null && typeof message === 'object' && 'error' in message) {
      return { text, isRefusal: true };
    }
    if (connectionId === null || typeof message !== 'object') {
      throw notAnAgent(this.#client, { connectionId, text, isCut });
    }
    this.#connectionId = connectionId;
    return { text, isRefusal: false };
  }

  /** Sends a message. Returns the text of the server's answer, which is mostly empty. */
  async send(what: string, body: string, sessionId: string | undefined): Promise<string> {
    const { requestTimeoutMs = defaultRequestTimeoutMs } = this.#options;
    const { text, isCut } = await this.#post(what, body, this.#idHeaders(sessionId), requestTimeoutMs);
    const where = () => `${what}: ${this.#client.show(this.#client.url)}`;
    if (isHtml(text)) {
      const page = describeBody(this.#client.withoutSecrets(text));
      throw new InvalidMessageError(
        `${where()} did not take the message. It answered with status 200${page}. Log in again, or check the proxy.`,
        { method: what },
      );
    }
    // The server has taken the message, and its answer is not known.
    if (isCut && text.trim() !== '') {
      throw new ConnectionClosedError(
        `${where()} sent an answer that is longer than maxMessageBytes, or broke off.`,
      );
    }
    return text;
  }

  /** Opens the stream of a session, or that of the connection. `signal` also ends the stream. */
  async openStream(
    sessionId: string | undefined,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    const { request } = requestUntil(signal);
    return this.#client.send({
      ...request,
      method: 'GET',
      what: sessionId === undefined ? 'the stream of the connection' : 'the stream of a session',
      headers: { ...headers, ...this.#idHeaders(sessionId) },
      timeoutMs: this.#options.openTimeoutMs ?? defaultStreamTimeoutMs,
    });
  }

  /** The server does not have the connection. */
  forget(): void {
    this.#connectionId = undefined;
  }

  /** Tells the server that the connection ends. Never rejects: a server ends it by itself too. */
  async leave(): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === undefined) return;
    this.#connectionId = undefined;
    // Also sent when everything else ends.
    const { request, stop } = requestUntil(AbortSignal.timeout(maxClosingMs));
    try {
      const response = await this.#client.send({
        ...request,
        method: 'DELETE',
        what: 'the end of the connection',
        headers: { [connectionHeader]: connectionId },
        timeoutMs: maxClosingMs,
      });
      await readText(response, { limitBytes: 0, timeoutMs: maxClosingMs });
    } catch {
    } finally {
      stop();
    }
  }

  async #post(what: string, body: string, headers: Readonly<Record<string, string>>, timeoutMs: number) {
    const { maxMessageBytes: limitBytes = defaultMaxMessageBytes } = this.#options;
    const { request, stop } = requestUntil(this.#ending);
    try {
      const allHeaders = { ...jsonHeaders, ...headers };
      const given = { ...request, method: 'POST', what, headers: allHeaders, body, timeoutMs } as const;
      const response = await this.#client.send(given);
      return { headers: response.headers, ...(await readText(response, { limitBytes, timeoutMs })) };
    } finally {
      stop();
    }
  }

  #idHeaders(sessionId: string | undefined): Readonly<Record<string, string>> {
    const connectionId = this.#connectionId ?? '';
    return {
      [connectionHeader]: connectionId,
      ...(sessionId !== undefined && { [sessionHeader]: sessionId }),
    };
  }
}

/** A signal that belongs to one request, and is aborted with `signal` until `stop` is called. */
function requestUntil(signal: AbortSignal): { request: Pick<HttpRequest, 'signal'>; stop: () => void } {
  const control = new AbortController();
  const abort = () => control.abort(new ConnectionClosedError('The connection was closed.'));
  if (signal.aborted) abort();
  return { request: { signal: control.signal }, stop: onAbort(signal, abort) };
}
