import {
  CancellationReceiverStrategy,
  CancellationTokenSource,
  type Message,
  type MessageConnection,
  type MessageStrategy,
  ParameterStructures,
  ResponseError,
} from 'vscode-jsonrpc';
import { errorMessage, warning } from '../base/diagnostic.ts';
import {
  AcpError,
  ConnectionClosedError,
  ConnectionStateError,
  InvalidParamsError,
  TimeoutError,
} from '../base/errors.ts';
import type { JsonObject, RequestId } from '../base/json.ts';
import { describeExit } from '../base/process-exit.ts';
import { deferred, onAbort, settlesWithin, type WaitLimits, withLimits } from '../base/wait.ts';
import { pausable } from '../transport/queued-transport.ts';
import { closeTransport, type Transport, type TransportEnd } from '../transport/transport.ts';
import type { AgentRequest } from './agent-requests.ts';
import * as rpcCodes from './codes.ts';
import { IncomingMessages, type PeerListener } from './incoming.ts';
import { createConnection } from './jsonrpc.ts';
import { OrderedReader, TransportWriter } from './order.ts';
import { RequestError } from './request-error.ts';

/** How long a caller waits. After `timeoutMs` the call rejects with a `TimeoutError`. */
export type Limits = Pick<WaitLimits, 'signal' | 'timeoutMs'>;

export interface RequestOptions extends Limits {
  /** Aborting it sends `$/cancel_request`. The answer is awaited all the same. */
  readonly withdraw?: AbortSignal | undefined;
  /**
   * Called when the request was sent and then abandoned, because `signal` was aborted or the time was up. `late`
   * settles with the answer if the agent sends it after all, before the next message is read. It rejects when the
   * channel ends.
   */
  readonly onAbandoned?: ((late: Promise<unknown>) => void) | undefined;
}

const silentLogger = { error() {}, warn() {}, info() {}, log() {} };

/** How long the rest of the messages may take once the transport is closed, in milliseconds. */
const drainMs = 1000;

/** How many requests from the agent are handled at once. Further ones are refused. */
export const maxOpenRequests = 1000;

/** How many messages the agent may leave unread and still make requests. Each request adds another one. */
export const maxUnreadMessages = 10_000;

/** How many bytes of answers the agent may leave unread. With more than that, the next answer ends the connection. */
export const maxUnreadAnswerBytes = 64 * 1024 * 1024;

/** How many bytes of all messages the agent may leave unread. With more than that, calls are refused. */
export const maxUnreadBytes = 128 * 1024 * 1024;

/**
 * One end of a JSON-RPC connection. vscode-jsonrpc matches requests with responses in both directions; `order.ts` keeps
 * the order of the wire; `incoming.ts` checks what the agent sends.
 */
export class Peer {
  readonly #transport: Transport;
  readonly #listener: PeerListener;
  readonly #incoming: IncomingMessages;
  readonly #reader: OrderedReader;
  readonly #writer: TransportWriter;
  readonly #connection: MessageConnection;
  #failure: AcpError | undefined;
  #closing: Promise<void> | undefined;
  /** Whether `close` was called before the channel ended. */
  #closeRequested = false;
  #end: TransportEnd | undefined;
  /** Takes the id that vscode-jsonrpc chooses for a request, before it is written. */
  #onRequestId: (id: RequestId | null) => void = () => {};
  readonly #closed = deferred<TransportEnd>();

  /**
   * Resolves when the channel has ended and everything received was handled. Open requests reject in the same turn of
   * the event loop.
   */
  readonly closed = this.#closed.promise;

  constructor(transport: Transport, listener: PeerListener) {
    this.#transport = transport;
    this.#listener = listener;
    this.#incoming = new IncomingMessages(listener, {
      admit: (method, id, message) => this.#admit(method, id, message),
      refuse: (id, code, message) => this.#refuse(id, code, message),
    });
    const channel = pausable(transport);
    this.#reader = new OrderedReader(channel, listener, this.#incoming);
    this.#writer = new TransportWriter(transport, {
      // After the end nothing is sent: the answers to open requests fail.
      onSend: (message) => {
        if (!this.#end) listener.onMessage?.('out', message);
      },
      onWrite: (message) => {
        this.#incoming.written(message);
        if (!('method' in message)) this.#checkUnread();
      },
      onUnwritable: (message, error) => this.#unwritable(message, error),
      onFailure: (error) => {
        const why = errorMessage(error).replace(/\.?$/, '.');
        const text = `Messages no longer reach the agent: ${why}`;
        this.#fail(new ConnectionClosedError(text, { cause: error }));
      },
    });
    this.#connection = createConnection(this.#reader, this.#writer, silentLogger, {
      messageStrategy: { handleMessage: (message, next) => this.#dispatch(message, next) },
      cancellationStrategy: {
        // `incoming.ts` handles the agent's cancellations.
        receiver: CancellationReceiverStrategy.Message,
        sender: {
          enableCancellation: ({ id }) => this.#onRequestId(id),
          sendCancellation: (connection, requestId) =>
            connection.sendNotification('$/cancel_request', ParameterStructures.byName, { requestId }),
          cleanup() {},
        },
      },
    });
    this.#connection.onRequest((_method: string, params: unknown) => this.#answer(requestIn(params)));
    channel.ended.then(
      (end) => this.#finish(end),
      () => this.#finish({}),
    );
    this.#connection.listen();
  }

  /** Sends a request. Settles exactly once, whatever the agent does. */
  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<unknown> {
    const { signal, withdraw, timeoutMs, onAbandoned } = options;
    const refusal = this.refusal(method) ?? this.#unreadRefusal(method);
    if (refusal) return Promise.reject(refusal);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const cancellation = new CancellationTokenSource();
    let id: RequestId | null = null;
    this.#onRequestId = (chosen) => {
      id = chosen;
    };
    const { token } = cancellation;
    const answer = this.#send(method, () =>
      params === undefined
        ? this.#connection.sendRequest(method, token)
        : this.#connection.sendRequest(method, ParameterStructures.byName, params, token),
    );
    const stopListening = onAbort(withdraw, () => cancellation.cancel());
    // Without a handler the rejection of an abandoned request would be reported as unhandled.
    answer.catch(() => {}).finally(stopListening);
    return withLimits(answer, {
      signal,
      timeoutMs,
      timeoutError: () => {
        const message = `The agent did not answer ${method} within ${timeoutMs} ms. The request was cancelled. A longer timeoutMs gives the agent more time.`;
        return new TimeoutError(message, { method, timeoutMs: timeoutMs ?? 0 });
      },
      onLimit: () => {
        cancellation.cancel();
        const forget = this.#incoming.abandon(id, answer, onAbandoned);
        if (forget) this.#reader.inject(forget);
      },
    });
  }

  /**
   * To be called as soon as a request has settled: no further message is handled before `work` has settled, and the code
   * that waits for it has continued.
   */
  holdReading(work: Promise<unknown>): void {
    this.#reader.hold(work);
  }

  /** Sends a notification. Resolves when the channel has taken it. */
  async notify(method: string, params: JsonObject | undefined, limits: Limits = {}): Promise<void> {
    const refusal = this.refusal(method) ?? this.#unreadRefusal(method);
    if (refusal) throw refusal;
    limits.signal?.throwIfAborted();
    const { timeoutMs } = limits;
    const sent = this.#send(method, () =>
      params === undefined
        ? this.#connection.sendNotification(method)
        : this.#connection.sendNotification(method, ParameterStructures.byName, params),
    );
    await withLimits(sent, {
      ...limits,
      timeoutError: () => {
        const message = `The agent did not take ${method} within ${timeoutMs} ms: it does not read its input. Close the connection if this does not change.`;
        return new TimeoutError(message, { method, timeoutMs: timeoutMs ?? 0 });
      },
    });
  }

  /**
   * Ends the channel. Handlers of the agent's requests are aborted, and further requests are refused. What else the
   * agent still sends is handled, and then every promise is settled. Idempotent.
   */
  close(): Promise<void> {
    this.#closeRequested ||= this.#closing === undefined && this.#end === undefined;
    // Handlers that work on would delay the end.
    this.#incoming.received.abortAll(new ConnectionClosedError('The connection is being closed.'));
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Why nothing can be sent any more. `undefined` while it can. */
  refusal(method: string): AcpError | undefined {
    if (this.#closeRequested) {
      const message = `${method} was called after close(). Nothing was sent. Connect again first.`;
      return new ConnectionStateError(message, { method });
    }
    const end = this.#end ?? (this.#failure && { error: this.#failure });
    const what = `${method} was called after the connection had ended. Nothing was sent.`;
    return end && this.#closedError(method, end, what);
  }

  #unreadRefusal(method: string): AcpError | undefined {
    if ((this.#transport.queuedBytes ?? 0) <= maxUnreadBytes) return undefined;
    const what = `${method} was not sent: the agent has not read more than ${maxUnreadBytes / 2 ** 20} MiB of earlier messages.`;
    return new ConnectionStateError(`${what} Wait until it reads them, or close the connection.`, { method });
  }

  async #shutDown(): Promise<void> {
    await closeTransport(this.#transport, this.#listener.onDiagnostic);
    await settlesWithin(this.closed, drainMs);
    // A transport may fail to end. Nothing waits for it any longer.
    this.#finish({});
  }

  /** Writes a call. Rejects with the error for one that could not be written, or got no answer before the end. */
  async #send<T>(method: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      // `incoming.ts` puts the error for the agent's answer there.
      if (error instanceof ResponseError && AcpError.is(error.data)) throw error.data;
      // The end says more than the failed write: how the program exited, and its last words.
      if (this.#failure) await this.closed;
      if (this.#end) throw this.#closedError(method, this.#end);
      const why = errorMessage(error);
      const message = `${method} could not be written as JSON: ${why}. Nothing was sent.`;
      throw new InvalidParamsError(message, { method, cause: error });
    }
  }

  #admit(method: string, id: RequestId, message: JsonObject): boolean {
    this.#checkUnread();
    if (this.#failure) return false;
    if (this.#incoming.received.count < maxOpenRequests) return true;
    const text = `The agent called ${method} while ${maxOpenRequests} of its requests were open. It was refused.`;
    this.#listener.onDiagnostic(warning('rpc.too_many_requests', text, message));
    this.#refuse(id, rpcCodes.internalError, `The client handles ${maxOpenRequests} requests at once.`);
    return false;
  }

  /** Ends the connection if the agent leaves too much unread. */
  #checkUnread(): void {
    const { waiting, waitingAnswerBytes } = this.#writer;
    if (waiting <= maxUnreadMessages && waitingAnswerBytes <= maxUnreadAnswerBytes) return;
    const what =
      waiting > maxUnreadMessages
        ? `${maxUnreadMessages} messages`
        : `${maxUnreadAnswerBytes / 2 ** 20} MiB of them`;
    const text = `The agent makes requests and does not read the answers: ${what} wait.`;
    this.#fail(new ConnectionClosedError(text));
  }

  #refuse(id: RequestId | null, code: number, text: string): void {
    const answer = { jsonrpc: '2.0', id, error: { code, message: text } };
    this.#writer.send(answer).catch(() => {});
  }

  /** Lets vscode-jsonrpc handle a request or a response, and then reads on. */
  #dispatch(message: Message, next: Parameters<MessageStrategy['handleMessage']>[1]): void {
    const handled = Promise.resolve(next(message));
    // Until the agent has taken the answer.
    if ('params' in message) requestIn(message.params).hold(handled);
    // An answer that cannot be written is reported by the writer.
    else handled.catch(() => {});
    this.#reader.dispatched(message);
  }

  async #answer(request: AgentRequest): Promise<unknown> {
    if (this.#closeRequested)
      throw new ResponseError(rpcCodes.cancelled, 'The client closes the connection.');
    try {
      return await this.#listener.onRequest(request);
    } catch (error) {
      if (RequestError.is(error)) throw new ResponseError(error.code, error.message, error.data);
      const { method } = request;
      const text = `The handler of ${method} failed: ${errorMessage(error)}. The agent got an error without details.`;
      this.#listener.onDiagnostic(warning('handler.failed', text));
      throw new ResponseError(rpcCodes.internalError, `The client failed to handle ${method}.`);
    }
  }

  #unwritable(message: Message, error: unknown): void {
    this.#incoming.unwritten(message);
    if ('method' in message) return;
    const text = `The answer of a handler could not be written as JSON: ${errorMessage(error)}. The agent got an error instead.`;
    this.#listener.onDiagnostic({ rule: 'handler.invalid_answer', severity: 'error', message: text });
  }

  /** Ends the channel because of an error. The first error counts. */
  #fail(error: AcpError): void {
    if (this.#failure || this.#end) return;
    this.#failure = error;
    this.#closing ??= this.#shutDown();
  }

  #finish(end: TransportEnd): void {
    if (this.#end) return;
    const error = this.#failure ?? end.error;
    this.#end = { ...end, ...(error && { error }) };
    if (!this.#closeRequested) this.#listener.onEnd?.(this.#end);
    const reason = new ConnectionClosedError('The connection to the agent ended.', {
      exit: end.exit,
      cause: error,
    });
    this.#incoming.received.abortAll(reason);
    // Rejects the requests that are open.
    this.#connection.dispose();
    // Before the requests of the agent end: a queued message can wait for the rest of an abandoned load. It must not be
    // sent any more, and the sessions learn of the end here.
    this.#closed.resolve(this.#end);
    this.#incoming.end(reason);
  }

  #closedError(method: string, { error, exit }: TransportEnd, what?: string): AcpError {
    // The error that broke the channel says who must act, unless it only says that the channel has ended.
    if (error && !(error instanceof ConnectionClosedError) && error.code !== 'agent.exit') return error;
    if (this.#closeRequested) {
      const message = `The connection was closed before the agent answered ${method}. Connect again to continue.`;
      return new ConnectionClosedError(message, { method, exit, cause: error });
    }
    // An error of the transport says how the program exited, and what it wrote last.
    const how = error ? ` ${error.message}` : exit ? ` The agent ${describeExit(exit)}.` : '';
    const text = what ?? `The connection ended before the agent answered ${method}.`;
    return new ConnectionClosedError(`${text}${how}\nStart the agent again.`, { method, exit, cause: error });
  }
}

/** The request that `incoming.ts` has put into the message. */
function requestIn(params: unknown): AgentRequest {
  return params as AgentRequest;
}
