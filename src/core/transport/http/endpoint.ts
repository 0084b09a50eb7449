import { ConnectionClosedError, HttpError, InvalidMessageError } from '../../base/errors.ts';
import { abortWith } from '../../base/wait.ts';
import { defaultMaxMessageBytes } from '../message-text.ts';
import { parseMessage } from '../parse-message.ts';
import type { RemoteTransportOptions } from '../remote-options.ts';
import { maxClosingMs } from '../transport.ts';
import { describeBody, isEventStream, isHtml, notAnAgent, proxyStatuses, readText } from './http-answers.ts';
import type { HttpClient } from './http-client.ts';

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
  /** The connections that have ended here, and that the server may still have. */
  readonly #left = new Set<string>();

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
    const { response, text, isCut } = await this.#post('initialize', body, {}, noLimit, readText);
    const connectionId = response.headers.get(connectionHeader);
    const message = isCut ? undefined : parseMessage(text);
    // A refusal makes no connection.
    if (connectionId === null && typeof message === 'object' && 'error' in message) {
      return { text, isRefusal: true };
    }
    // Also if the rest of the answer has not arrived: the server then has a connection that must be ended.
    this.#connectionId = connectionId ?? undefined;
    if (connectionId === null || typeof message !== 'object') {
      throw notAnAgent(this.#client, { connectionId, text, isCut });
    }
    return { text, isRefusal: false };
  }

  /**
   * Sends a message. Returns the text of the server's answer, which is mostly empty, or the answer itself if it is an event
   * stream.
   */
  async send(what: string, body: string, sessionId: string | undefined): Promise<string | Response> {
    const { requestTimeoutMs = defaultRequestTimeoutMs } = this.#options;
    const read: typeof readText = async (response, limits) =>
      // It can last as long as a turn, and is read elsewhere.
      isEventStream(response) ? { text: '', isCut: false } : readText(response, limits);
    const headers = this.#idHeaders(sessionId);
    const { response, text, isCut } = await this.#post(what, body, headers, requestTimeoutMs, read);
    if (isEventStream(response)) return response;
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

  /** Opens the stream of a session, or that of the connection. `signal` is its own, and also ends the stream. */
  async openStream(
    sessionId: string | undefined,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Response> {
    return this.#client.send({
      method: 'GET',
      what: sessionId === undefined ? 'the stream of the connection' : 'the stream of a session',
      headers: { ...headers, ...this.#idHeaders(sessionId) },
      timeoutMs: this.#options.openTimeoutMs ?? defaultStreamTimeoutMs,
      signal,
    });
  }

  /** Tells the server that the connection ends. Never rejects: a server ends it by itself too. */
  async leave(): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === undefined) return;
    this.#connectionId = undefined;
    this.#left.add(connectionId);
    // Also sent when everything else ends.
    await this.#delete(connectionId, maxClosingMs, AbortSignal.timeout(maxClosingMs)).catch(() => {});
  }

  /**
   * Tells the server again that connections have ended, until it has answered.
   *
   * @throws an error of the network, if the server cannot be reached.
   */
  async confirmEnd(signal: AbortSignal): Promise<void> {
    const { requestTimeoutMs = defaultRequestTimeoutMs } = this.#options;
    await Promise.all(Array.from(this.#left, (id) => this.#delete(id, requestTimeoutMs, signal)));
  }

  async #delete(connectionId: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
    const control = new AbortController();
    const stopFollowing = abortWith(control, signal);
    try {
      const response = await this.#client.send({
        method: 'DELETE',
        what: 'the end of the connection',
        headers: { [connectionHeader]: connectionId },
        timeoutMs,
        signal: control.signal,
      });
      await readText(response, { limitBytes: 0, timeoutMs: maxClosingMs });
    } catch (error) {
      // A server that refuses this has answered. A proxy that does not reach it has not asked it.
      if (!(error instanceof HttpError) || proxyStatuses.has(error.status)) throw error;
    } finally {
      stopFollowing();
    }
    this.#left.delete(connectionId);
  }

  async #post(
    what: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    timeoutMs: number,
    read: typeof readText,
  ) {
    const { maxMessageBytes: limitBytes = defaultMaxMessageBytes } = this.#options;
    // The client listens to the signal for as long as it lives.
    const control = new AbortController();
    const stopFollowing = abortWith(control, this.#ending);
    try {
      const response = await this.#client.send({
        method: 'POST',
        what,
        headers: { ...jsonHeaders, ...headers },
        body,
        timeoutMs,
        signal: control.signal,
      });
      return { response, ...(await read(response, { limitBytes, timeoutMs })) };
    } finally {
      stopFollowing();
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
