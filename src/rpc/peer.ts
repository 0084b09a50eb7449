import {
  type CancellationToken,
  CancellationTokenSource,
  createMessageConnection,
  type Message,
  type MessageConnection,
  ParameterStructures,
  type RequestMessage,
  ResponseError,
} from '#jsonrpc';
import { type DiagnosticListener, errorMessage, preview } from '../diagnostic.ts';
import {
  AcpError,
  ConnectionClosedError,
  ConnectionStateError,
  InvalidMessageError,
  TimeoutError,
} from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { ForwardingReader } from '../transport/forwarding-reader.ts';
import { macrotask } from '../transport/macrotask.ts';
import { PacedReader } from '../transport/paced-reader.ts';
import type { Transport, TransportEnd } from '../transport/transport.ts';
import { onAbort, settlesWithin } from '../wait.ts';
import * as rpcCodes from './codes.ts';
import { Inlet } from './inlet.ts';
import { type Limits, withinLimits } from './limits.ts';
import { Outlet, unwritable } from './outlet.ts';
import { remoteError } from './remote-error.ts';
import { RequestError } from './request-error.ts';
import { isRequestId, type RequestId } from './request-id.ts';

/** What the agent's messages are handed to, in the order of the wire. */
export interface PeerListener {
  /** A `session/update`. Called on the read loop, for each before the next message is looked at. */
  onUpdate(params: unknown): void;
  /** Any other notification. Called on the read loop. */
  onNotification(method: string, params: unknown): void;
  /**
   * A request. The part before the first `await` runs before the next message is looked at. What it throws is
   * answered: a `RequestError` as it says, anything else as an internal error without details.
   */
  onRequest(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  readonly onDiagnostic: DiagnosticListener;
  /** The channel has ended, and nobody had asked it to. All that came before was handled. */
  readonly onEnd?: ((end: TransportEnd) => void) | undefined;
  /** Sees every message, in and out. */
  readonly onMessage?: ((direction: 'in' | 'out', message: unknown) => void) | undefined;
}

export interface RequestOptions extends Limits {
  /** Aborting tells the agent, and the answer is waited for all the same. */
  readonly withdraw?: AbortSignal | undefined;
  /**
   * Called when the request was sent and is given up. `answered` resolves if the agent answers it after all, before
   * the next message is looked at.
   */
  readonly onGivenUp?: ((answered: Promise<void>) => void) | undefined;
}

interface OpenRequest {
  readonly method: string;
  settle(outcome: { readonly value: unknown } | { readonly error: unknown }): void;
}

const silent = { error() {}, warn() {}, info() {}, log() {} };

/** How long the rest of the messages may take once the channel is known to have ended, in milliseconds. */
const drainMs = 1000;

/** How many requests of the agent's are handled at once. Those beyond are refused. */
export const maxOpenRequests = 1000;

/** How many messages an agent may leave unread and still make requests: its answers would fill the memory. */
export const maxUnreadMessages = 10_000;

/** How many messages of an array are handled before the event loop has its turn. */
const messagesPerTurn = 256;

/**
 * Requests and answers over a transport, by vscode-jsonrpc, with the order of the wire kept.
 *
 * vscode-jsonrpc hands over one message a turn of the event loop, and a promise continues later still. So updates
 * and notifications never pass through it; and after each response or request that does, nothing more is read
 * until whoever waited for it has continued.
 */
export class Peer {
  readonly #transport: Transport;
  readonly #listener: PeerListener;
  readonly #reader: PacedReader;
  readonly #inlet = new Inlet();
  readonly #outlet: Outlet;
  readonly #connection: MessageConnection;
  readonly #open = new Map<RequestId, OpenRequest>();
  readonly #answering = new Map<RequestId, AbortController>();
  /** What went wrong on our side of a request: it could not be written, or its response not be taken as it is. */
  readonly #faults = new Map<RequestId, AcpError>();
  /** The requests of the agent's whose answers are not written yet. */
  #unanswered = 0;
  /** What of an array of messages is still to be handled. */
  #backlog: readonly unknown[] = [];
  #handled = 0;
  #sending: RequestId | undefined;
  #incoming: RequestId | undefined;
  #failure: AcpError | undefined;
  #closing: Promise<void> | undefined;
  /** Whether the end was asked for on this side. */
  #asked = false;
  #end: TransportEnd | undefined;
  #markEnded: (end: TransportEnd) => void = () => {};

  /** Resolves when the channel has ended, everything received was handled and every promise is settled. */
  readonly closed: Promise<TransportEnd>;

  constructor(transport: Transport, listener: PeerListener) {
    this.#transport = transport;
    this.#listener = listener;
    this.closed = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
    this.#reader =
      transport.reader instanceof PacedReader ? transport.reader : new ForwardingReader(transport.reader);
    transport.onDiagnostic = listener.onDiagnostic;
    this.#reader.onDiagnostic = listener.onDiagnostic;
    this.#outlet = new Outlet(transport.writer, {
      onMessage: (message) => listener.onMessage?.('out', message),
      onUnwritable: (id, error) => this.#faults.set(id, error),
      onUnwritableAnswer: (error) => {
        const said = errorMessage(error);
        const message = `A handler's answer could not be written as JSON: ${said}. The agent was told of an error.`;
        this.#listener.onDiagnostic({ rule: 'handler.invalid_answer', severity: 'error', message });
      },
      onFailure: (error) => this.#fail(error),
    });
    this.#connection = createMessageConnection(this.#inlet, this.#outlet, silent, {
      messageStrategy: {
        handleMessage: (message, next) => {
          this.#incoming = (message as RequestMessage).id ?? undefined;
          const isRequest = 'method' in message;
          if (isRequest) this.#unanswered++;
          Promise.resolve(next(message))
            // What cannot be written any more fails here too; the end of the channel says so to whom it concerns.
            .catch(() => {})
            .finally(() => {
              if (isRequest) this.#unanswered--;
            });
          macrotask(() => this.#continue());
        },
      },
      cancellationStrategy: {
        receiver: { createCancellationTokenSource: () => new CancellationTokenSource() },
        sender: {
          enableCancellation: (request) => {
            this.#sending = request.id ?? undefined;
          },
          sendCancellation: (connection, requestId) =>
            connection.sendNotification('$/cancel_request', ParameterStructures.byName, { requestId }),
          cleanup() {},
        },
      },
    });
    this.#connection.onRequest((method: string, params: unknown) => this.#answer(method, params));
    this.#connection.listen();
    this.#watchEnd();
    this.#reader.onError((error) => {
      if (AcpError.is(error)) this.#fail(error);
      else listener.onDiagnostic({ rule: 'transport.noise', severity: 'error', message: error.message });
    });
    this.#reader.listen((message) => this.#receive(message));
  }

  /** Sends a request. Settles exactly once, whatever the agent does. */
  request(method: string, params: JsonObject | undefined, options: RequestOptions = {}): Promise<unknown> {
    const { signal, withdraw, timeoutMs, onGivenUp } = options;
    return new Promise((resolve, reject) => {
      const refusal = this.refusal(method);
      if (refusal) return reject(refusal);
      if (signal?.aborted) return reject(signal.reason);
      const cancellation = new CancellationTokenSource();
      let timer: ReturnType<typeof setTimeout> | undefined;
      let stopListening = () => {};
      let stopWithdrawing = () => {};
      let id: RequestId | undefined;
      const settle: OpenRequest['settle'] = (outcome) => {
        clearTimeout(timer);
        stopListening();
        stopWithdrawing();
        if ('value' in outcome) resolve(outcome.value);
        else reject(outcome.error);
      };
      const cancel = () => cancellation.cancel();
      const giveUp = (error: unknown) => {
        cancel();
        onGivenUp?.(late);
        settle({ error });
      };
      const answer = this.#send(method, params, cancellation.token);
      id = this.#sending;
      if (id !== undefined) this.#open.set(id, { method, settle });
      // A request that was given up stays open until its answer comes, so that the answer finds it.
      let markAnswered = () => {};
      const late = new Promise<void>((answered) => {
        markAnswered = answered;
      });
      const answered = () => {
        if (id !== undefined) this.#open.delete(id);
        markAnswered();
      };
      answer.then(
        (value) => {
          answered();
          settle({ value });
        },
        (error: unknown) => {
          // Once the channel has failed, its end tells more: how the program ended, and its last words.
          if (this.#failure && !this.#end) return;
          answered();
          settle({ error: this.#asError(method, id, error) });
        },
      );
      stopListening = onAbort(signal, () => giveUp(signal?.reason));
      stopWithdrawing = onAbort(withdraw, cancel);
      if (timeoutMs === undefined) return;
      timer = setTimeout(() => {
        const message = `The agent did not answer ${method} within ${timeoutMs} ms. It was told to give up; a longer timeoutMs lets it try longer.`;
        giveUp(new TimeoutError(message, { method, timeoutMs }));
      }, timeoutMs);
    });
  }

  /** Sends a notification. Resolves when the agent has taken it, as far as the channel can tell. */
  async notify(method: string, params: JsonObject | undefined, options: Limits = {}): Promise<void> {
    const refusal = this.refusal(method);
    if (refusal) throw refusal;
    options.signal?.throwIfAborted();
    try {
      const written =
        params === undefined
          ? this.#connection.sendNotification(method)
          : this.#connection.sendNotification(method, ParameterStructures.byName, params);
      await withinLimits(method, written, options);
    } catch (error) {
      throw options.signal?.aborted ? options.signal.reason : this.#asError(method, undefined, error);
    }
  }

  /** Ends the channel: what the agent still says is taken, then all promises are settled. Idempotent. */
  close(): Promise<void> {
    this.#asked ||= this.#closing === undefined && this.#end === undefined;
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    try {
      if (this.#transport.close) {
        await this.#transport.close();
        await settlesWithin(this.closed, drainMs);
      } else this.#transport.writer.end();
    } finally {
      // Nobody may wait for ever on a transport that does not tell its end.
      this.#finish({});
    }
  }

  /** Why nothing can be sent any more; absent while it can. */
  refusal(method: string): AcpError | undefined {
    if (this.#asked) {
      const message = `${method} was called after close(). Nothing was sent. Connect again first.`;
      return new ConnectionStateError(message, { method });
    }
    const end = this.#end ?? (this.#failure && { error: this.#failure });
    const told = `${method} was called after the connection had ended. Nothing was sent.`;
    return end && this.#closedError(method, end, told);
  }

  #send(method: string, params: JsonObject | undefined, token: CancellationToken): Promise<unknown> {
    this.#sending = undefined;
    return params === undefined
      ? this.#connection.sendRequest(method, token)
      : this.#connection.sendRequest(method, ParameterStructures.byName, params, token);
  }

  #asError(method: string, id: RequestId | undefined, error: unknown): unknown {
    const fault = id === undefined ? undefined : this.#faults.get(id);
    if (id !== undefined && fault) {
      this.#faults.delete(id);
      return fault;
    }
    if (this.#end) return this.#closedError(method, this.#end);
    if (this.#failure) return this.#closedError(method, { error: this.#failure });
    if (error instanceof ResponseError) {
      return remoteError(method, error.code, error.message, error.data as JsonValue | undefined);
    }
    return AcpError.is(error) ? error : unwritable(method, error);
  }

  #receive(message: unknown): void {
    this.#listener.onMessage?.('in', message);
    if (Array.isArray(message)) {
      this.#report(
        'rpc.batch',
        'The agent sent an array of messages. ACP has no batches; each was taken for itself.',
        message,
      );
      this.#backlog = message;
      this.#handled = 0;
      this.#reader.hold();
      this.#continue();
      return;
    }
    this.#take(message);
  }

  /** Goes on with what waits: the rest of an array first, then whatever else arrived. */
  #continue(): void {
    for (let count = 0; this.#handled < this.#backlog.length; count++) {
      if (count === messagesPerTurn) return macrotask(() => this.#continue());
      if (this.#take(this.#backlog[this.#handled++])) return;
    }
    this.#backlog = [];
    this.#handled = 0;
    this.#reader.release();
  }

  /** Handles one message. Returns whether reading is held until it is done with. Never throws. */
  #take(message: unknown): boolean {
    try {
      return this.#handle(message);
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  #handle(message: unknown): boolean {
    if (!isJsonObject(message)) {
      this.#report('rpc.invalid_message', 'The agent sent JSON that is no message.', message);
      return false;
    }
    const { method, id } = message;
    if (typeof method === 'string') {
      if (!Object.hasOwn(message, 'id')) {
        this.#notified(method, message['params']);
        return false;
      }
      return this.#requested(method, id, message);
    }
    if (isRequestId(id) && !('result' in message) && !('error' in message) && !this.#open.has(id)) {
      this.#refuse(id, rpcCodes.invalidRequest, 'A request needs a method.');
      this.#report('rpc.invalid_message', 'The agent sent a request without a method.', message);
      return false;
    }
    return this.#responded(id, message);
  }

  #notified(method: string, params: unknown): void {
    if (method === 'session/update') return this.#listener.onUpdate(params);
    if (method !== '$/cancel_request') return this.#listener.onNotification(method, params);
    const id = isJsonObject(params) ? params['requestId'] : undefined;
    // A request that was answered, or never made: the rule is to pass over it.
    if (isRequestId(id)) {
      const reason = new RequestError(rpcCodes.cancelled, 'The agent withdrew its request.');
      this.#answering.get(id)?.abort(reason);
    }
  }

  #requested(method: string, id: unknown, message: JsonObject): boolean {
    if (!isRequestId(id)) {
      this.#report('rpc.null_id', `The agent called ${method} with an id that no answer can name.`, message);
      this.#refuse(null, rpcCodes.invalidRequest, 'The id of a request must be a string or a number.');
      return false;
    }
    if (this.#answering.has(id)) {
      this.#report(
        'rpc.invalid_message',
        `The agent used the id ${JSON.stringify(id)} again while it was open.`,
        message,
      );
      this.#refuse(id, rpcCodes.invalidRequest, 'This id belongs to a request that is still open.');
      return false;
    }
    if (this.#outlet.waiting > maxUnreadMessages) {
      const text = `The agent makes requests and does not read the answers: ${maxUnreadMessages} messages wait.`;
      this.#fail(new ConnectionClosedError(text, { method }));
      return false;
    }
    if (this.#unanswered >= maxOpenRequests) {
      const text = `The agent called ${method} while ${maxOpenRequests} of its requests were open. It was refused.`;
      this.#report('rpc.too_many_requests', text, message);
      this.#refuse(id, rpcCodes.internalError, `The client handles ${maxOpenRequests} requests at once.`);
      return false;
    }
    return this.#handOver(message);
  }

  #responded(id: unknown, message: JsonObject): boolean {
    const hasResult = 'result' in message;
    const error = message['error'];
    if (!isRequestId(id)) {
      const said = isJsonObject(error) ? ` It says: ${preview(error['message'])}` : '';
      const rule = error === undefined ? 'rpc.invalid_message' : 'rpc.error_without_id';
      this.#report(rule, `The agent sent a response that names no request.${said}`, message);
      return false;
    }
    const known = this.#openId(id);
    if (known === undefined) {
      this.#report(
        'rpc.unknown_response',
        `The agent answered ${JSON.stringify(id)}, which is no open request: it was answered, given up, or never made.`,
        message,
      );
      return false;
    }
    const isError =
      isJsonObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string';
    if (isError || (hasResult && error == null)) {
      return this.#handOver(isError ? { jsonrpc: '2.0', id: known, error } : { ...message, id: known });
    }
    const method = this.#open.get(known)?.method ?? '';
    const text = `The agent's answer to ${method} has neither a result nor a proper error: ${preview(message)}`;
    this.#report('rpc.invalid_response', text, message);
    this.#faults.set(known, new InvalidMessageError(text, { method }));
    return this.#handOver({
      jsonrpc: '2.0',
      id: known,
      error: { code: rpcCodes.internalError, message: text },
    });
  }

  /** The open request that a response is for. Agents that turn a number into a string are understood. */
  #openId(id: RequestId): RequestId | undefined {
    if (this.#open.has(id)) return id;
    const number = typeof id === 'string' && /^\d+$/.test(id) ? Number(id) : undefined;
    return number !== undefined && this.#open.has(number) ? number : undefined;
  }

  #handOver(message: JsonObject): boolean {
    this.#reader.hold();
    this.#inlet.deliver(message as unknown as Message);
    return true;
  }

  #answer(method: string, params: unknown): Promise<unknown> {
    const id = this.#incoming;
    const control = new AbortController();
    if (id !== undefined) this.#answering.set(id, control);
    return this.#listener
      .onRequest(method, params, control.signal)
      .catch((error: unknown) => {
        if (RequestError.is(error)) throw new ResponseError(error.code, error.message, error.data);
        const text = errorMessage(error);
        this.#report(
          'handler.failed',
          `The handler of ${method} failed: ${text}. The agent was told no details.`,
        );
        throw new ResponseError(rpcCodes.internalError, `The client failed to handle ${method}.`);
      })
      .finally(() => {
        if (id !== undefined) this.#answering.delete(id);
      });
  }

  #refuse(id: RequestId | null, code: number, message: string): void {
    const answer = { jsonrpc: '2.0', id, error: { code, message } };
    this.#outlet.write(answer as Message).catch(() => {});
  }

  /** Something went wrong here that must not: whoever reads on must not suffer. */
  #failed(error: unknown): void {
    const said = errorMessage(error);
    const message = `A message of the agent's could not be handled, and was dropped: ${said}. Please report this.`;
    this.#listener.onDiagnostic({ rule: 'client.failed', severity: 'error', message });
  }

  #report(rule: Parameters<DiagnosticListener>[0]['rule'], message: string, received?: unknown): void {
    this.#listener.onDiagnostic({
      rule,
      severity: 'warning',
      message,
      ...(received !== undefined && { received: preview(received) }),
    });
  }

  /** The channel is of no more use: the first reason counts. */
  #fail(error: AcpError): void {
    if (this.#failure || this.#end) return;
    this.#failure = error;
    if (this.#closing) return;
    this.#closing = this.#shutDown();
    this.#closing.catch(() => {});
  }

  #watchEnd(): void {
    const drained = new Promise<void>((resolve) => {
      this.#reader.onClose(() => resolve());
    });
    const { ended } = this.#transport;
    const finished = ended
      ? ended.then(() => settlesWithin(drained, drainMs)).then(() => ended)
      : drained.then((): TransportEnd => ({}));
    finished.then(
      (end) => this.#finish(end),
      () => this.#finish({}),
    );
  }

  #finish(end: TransportEnd): void {
    if (this.#end) return;
    const error = this.#failure ?? end.error;
    this.#end = { ...end, ...(error && { error }) };
    if (!this.#asked) this.#listener.onEnd?.(this.#end);
    for (const { method, settle } of [...this.#open.values()]) {
      settle({ error: this.#closedError(method, this.#end) });
    }
    const reason = new ConnectionClosedError('The connection to the agent ended.', {
      exit: end.exit,
      cause: error,
    });
    for (const control of this.#answering.values()) control.abort(reason);
    this.#connection.dispose();
    this.#markEnded(this.#end);
  }

  #closedError(method: string, { error, exit }: TransportEnd, told?: string): AcpError {
    // What broke the channel is the better answer, if it is one of ours and says who must act.
    if (error && !(error instanceof ConnectionClosedError) && error.code !== 'agent.exit') return error;
    if (this.#asked) {
      const message = `The connection was closed before the agent answered ${method}. Connect again to go on.`;
      return new ConnectionClosedError(message, { method, exit, cause: error });
    }
    // Whoever ended the channel with an error has said in it how the program ended, and what it wrote last.
    const how = error ? ` ${error.message}` : exit ? ` The agent ended with ${describeExit(exit)}.` : '';
    const what = told ?? `The connection ended before the agent answered ${method}.`;
    return new ConnectionClosedError(`${what}${how}\nStart the agent again.`, { method, exit, cause: error });
  }
}

function describeExit(exit: { exitCode: number | null; signal: string | null }): string {
  return exit.signal === null ? `exit code ${exit.exitCode}` : `signal ${exit.signal}`;
}
