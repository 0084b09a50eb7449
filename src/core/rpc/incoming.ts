import type { Message } from 'vscode-jsonrpc';
import {
  type DiagnosticListener,
  type DiagnosticRule,
  errorMessage,
  preview,
  warning,
} from '../base/diagnostic.ts';
import { type AcpError, InvalidMessageError } from '../base/errors.ts';
import { isJsonObject, isRequestId, type JsonObject, type RequestId } from '../base/json.ts';
import { type Deferred, deferred } from '../base/wait.ts';
import type { ChannelFault, TransportEnd } from '../transport/transport.ts';
import { type AgentRequest, AgentRequests } from './agent-requests.ts';
import * as rpcCodes from './codes.ts';
import { errorIn } from './remote-error.ts';
import { RequestError } from './request-error.ts';

/** Receives the agent's messages in the order of the wire, and what else happens on the channel. */
export interface PeerListener {
  /** Takes a `session/update` before the next message is read. */
  onUpdate(params: unknown): void;
  /** Takes any other notification before the next message is read. */
  onNotification(method: string, params: unknown): void;
  /**
   * Handles a request, and returns its answer. The part before the first `await` runs before the next message is read.
   * A `RequestError` that it throws is sent to the agent. For any other error the agent gets an internal error without
   * details.
   */
  onRequest(request: AgentRequest): Promise<unknown>;
  readonly onDiagnostic: DiagnosticListener;
  /** The agent wrote something, which need not be a message. */
  onActivity?(): void;
  /** A call that waited for its answer, or a session, has a fault, although the channel goes on. */
  onFault?(fault: ChannelFault): void;
  /** What is secret in the requests of the channel, which the agent may repeat. */
  onSecrets?(secrets: readonly string[]): void;
  /** The channel has ended before it was closed. Everything that arrived before was handled. */
  onEnd?(end: TransportEnd): void;
  /** Sees every message, in both directions. An array of messages is one. */
  readonly onMessage?: ((direction: 'in' | 'out', message: unknown) => void) | undefined;
}

/** A request of the client that the agent has not answered. */
interface SentRequest {
  readonly method: string;
  /** Present after the call was given up: gets the answer, if it comes after all. */
  readonly late?: Deferred<unknown>;
}

/** What requests and wrong messages lead to. */
export interface IncomingActions {
  /** Whether one more request can be handled. If not, it was answered or the connection has ended. */
  admit(method: string, id: RequestId, message: JsonObject): boolean;
  refuse(id: RequestId | null, code: number, message: string): void;
}

/**
 * Checks the agent's messages against the open requests of both sides. vscode-jsonrpc then gets only well-formed
 * requests, and responses to requests that are open.
 */
export class IncomingMessages {
  readonly #listener: PeerListener;
  readonly #actions: IncomingActions;
  readonly #sent = new Map<RequestId, SentRequest>();
  /** The agent's requests that are open. */
  readonly received = new AgentRequests();

  constructor(listener: PeerListener, actions: IncomingActions) {
    this.#listener = listener;
    this.#actions = actions;
  }

  /** Notes a message that is written: a request opens, and a response closes, what its id stands for. */
  written(message: Message): void {
    const { id, method } = message as Message & { readonly id?: RequestId; readonly method?: string };
    if (id === undefined) return;
    if (method === undefined) this.received.answered(id);
    else this.#sent.set(id, { method });
  }

  /** Notes that a message could not be written. */
  unwritten(message: Message): void {
    const { id, method } = message as Message & { readonly id?: RequestId; readonly method?: string };
    if (id !== undefined && method !== undefined) this.#sent.delete(id);
  }

  /** Takes a fault. Returns what vscode-jsonrpc has to dispatch, if it is that of a request which is open. */
  takeFault(fault: ChannelFault): Message | undefined {
    const request = fault.type === 'callFailed' ? this.#sent.get(fault.id) : undefined;
    if (request || fault.type === 'sessionLost') this.#listener.onFault?.(fault);
    return request && fault.type === 'callFailed' ? this.#failed(fault.id, request, fault.error) : undefined;
  }

  /**
   * A call is given up. Returns what vscode-jsonrpc has to dispatch to forget it, if no answer has come: it keeps a call
   * with its parameters until then, and an agent may never answer.
   *
   * @param id - `null`: the call was not written.
   * @param onAbandoned - Gets what settles as the agent's answer does.
   */
  abandon(
    id: RequestId | null,
    answer: Promise<unknown>,
    onAbandoned: ((late: Promise<unknown>) => void) | undefined,
  ): Message | undefined {
    const request = id === null ? undefined : this.#sent.get(id);
    if (id === null || !request) {
      onAbandoned?.(answer);
      return undefined;
    }
    const late = deferred<unknown>();
    // Not every caller waits for it.
    late.promise.catch(() => {});
    onAbandoned?.(late.promise);
    this.#sent.set(id, { method: request.method, late });
    return messageOf({ id, result: null });
  }

  /** No answer comes any more. */
  end(error: AcpError): void {
    for (const { late } of this.#sent.values()) late?.reject(error);
    this.#sent.clear();
  }

  /** Handles a message. Returns what vscode-jsonrpc has to dispatch, if anything. Never throws. */
  readonly take = (message: unknown): Message | undefined => {
    try {
      return this.#handle(message);
    } catch (error) {
      const text = `A message of the agent could not be handled, and was dropped: ${errorMessage(error)}. Please report this.`;
      this.#listener.onDiagnostic({ rule: 'client.failed', severity: 'error', message: text });
      return undefined;
    }
  };

  #handle(message: unknown): Message | undefined {
    if (!isJsonObject(message)) {
      return this.#reject('rpc.invalid_message', 'The agent sent JSON that is not a message.', message);
    }
    const { method, id } = message;
    if (typeof method !== 'string') return this.#takeResponse(id, message);
    if (Object.hasOwn(message, 'id')) return this.#takeRequest(method, id, message);
    const { params } = message;
    if (method === 'session/update') this.#listener.onUpdate(params);
    else if (method === '$/cancel_request') this.#cancel(params);
    else this.#listener.onNotification(method, params);
    return undefined;
  }

  #cancel(params: unknown): void {
    const id = isJsonObject(params) ? params['requestId'] : undefined;
    // The protocol allows to cancel a request that was answered meanwhile. It has no effect.
    if (!isRequestId(id)) return;
    this.received.abort(id, new RequestError(rpcCodes.cancelled, 'The agent cancelled its request.'));
  }

  #takeRequest(method: string, id: unknown, message: JsonObject): Message | undefined {
    if (!isRequestId(id)) {
      this.#actions.refuse(
        null,
        rpcCodes.invalidRequest,
        'The id of a request must be a string or a number.',
      );
      const text = `The agent called ${method} with an id that is neither a string nor a number.`;
      return this.#reject('rpc.null_id', text, message);
    }
    if (this.received.has(id)) {
      this.#actions.refuse(id, rpcCodes.invalidRequest, 'This id belongs to a request that is still open.');
      const text = `The agent used the id ${JSON.stringify(id)} again while it was open.`;
      return this.#reject('rpc.invalid_message', text, message);
    }
    if (!this.#actions.admit(method, id, message)) return undefined;
    // vscode-jsonrpc passes `params` on as they are.
    return messageOf({ id, method, params: this.received.add(id, method, message['params']) });
  }

  #takeResponse(id: unknown, message: JsonObject): Message | undefined {
    const { error } = message;
    if (!isRequestId(id)) {
      const said = isJsonObject(error) ? ` Its message: ${preview(error['message'])}` : '';
      const rule = error === undefined ? 'rpc.invalid_message' : 'rpc.error_without_id';
      return this.#reject(rule, `The agent sent a response without the id of a request.${said}`, message);
    }
    const sent = this.#sentWith(id);
    const hasResult = 'result' in message;
    if (!sent) {
      if (hasResult || 'error' in message) {
        const text = `The agent answered ${JSON.stringify(id)}, which is not an open request: it was answered before, or never sent.`;
        return this.#reject('rpc.unknown_response', text, message);
      }
      this.#actions.refuse(id, rpcCodes.invalidRequest, 'A request needs a method.');
      return this.#reject('rpc.invalid_message', 'The agent sent a request without a method.', message);
    }
    const [sentId, request] = sent;
    const { method } = request;
    const failure = errorIn(method, message);
    if (failure) {
      if (failure instanceof InvalidMessageError)
        this.#reject('rpc.invalid_response', failure.message, message);
      return this.#failed(sentId, request, failure);
    }
    const { result } = message;
    this.#sent.delete(sentId);
    request.late?.resolve(result);
    return messageOf({ id: sentId, result });
  }

  #failed(id: RequestId, { late }: SentRequest, error: AcpError): Message {
    this.#sent.delete(id);
    late?.reject(error);
    // vscode-jsonrpc rejects the request. It passes `data` on as it is.
    return messageOf({ id, error: { code: rpcCodes.internalError, message: error.message, data: error } });
  }

  /** The open request that a response belongs to. Some agents turn its number into a string. */
  #sentWith(id: RequestId): readonly [id: RequestId, request: SentRequest] | undefined {
    const request = this.#sent.get(id);
    if (request) return [id, request];
    const number = Number(id);
    const numbered = String(number) === id ? this.#sent.get(number) : undefined;
    return numbered && [number, numbered];
  }

  #reject(rule: DiagnosticRule, text: string, message: unknown): undefined {
    this.#listener.onDiagnostic(warning(rule, text, message));
  }
}

function messageOf(content: object): Message {
  return { jsonrpc: '2.0', ...content };
}
