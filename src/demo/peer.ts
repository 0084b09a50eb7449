import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { RpcError, rpcErrors } from './rpc-error.ts';
import type { MessageWriter } from './wire.ts';

type RequestId = string | number;

export interface Reply {
  readonly result: JsonObject;
  /** Runs when the answer is on its way. */
  readonly afterwards?: () => void;
}

export interface Receiver {
  /** `cancelled` is aborted when the client withdraws the request. What is thrown is answered as an error. */
  request(method: string, params: JsonValue | undefined, cancelled: AbortSignal): Reply | Promise<Reply>;
  notification(method: string, params: JsonValue | undefined): void;
}

/** One end of a JSON-RPC 2.0 conversation: requests and answers in both directions. */
export class Peer {
  readonly #writer: MessageWriter;
  readonly #received = new Map<RequestId, AbortController>();
  readonly #sent = new Map<RequestId, (response: JsonObject) => void>();
  #nextId = 0;

  constructor(writer: MessageWriter) {
    this.#writer = writer;
  }

  notify(method: string, messages: readonly JsonObject[]): Promise<void> {
    return this.#writer.write(messages.map((params) => ({ jsonrpc: '2.0', method, params })));
  }

  /** The answer, or `undefined` where the client answered with an error, or `signal` withdrew the request. */
  async request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonValue | undefined> {
    if (signal.aborted) return undefined;
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Promise<JsonValue | undefined>((resolve) => {
      this.#sent.set(id, (response) => resolve(response['result']));
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    await this.#writer.write([{ jsonrpc: '2.0', id, method, params }]);
    const result = await answer;
    const unanswered = this.#sent.delete(id);
    if (unanswered && signal.aborted) await this.notify('$/cancel_request', [{ requestId: id }]);
    return result;
  }

  /** Takes one line of the client's. */
  receive(line: string, receiver: Receiver): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.#fail(null, rpcErrors.parse());
      return;
    }
    if (!isJsonObject(message) || message['jsonrpc'] !== '2.0') {
      this.#fail(null, rpcErrors.invalidRequest('A message is an object with "jsonrpc": "2.0"'));
      return;
    }
    const { id, method, params } = message;
    if (typeof method !== 'string') this.#receiveResponse(message);
    else if (id === undefined) this.#receiveNotification(method, params, receiver);
    else if (isRequestId(id)) void this.#answer(id, method, params, receiver);
    else this.#fail(null, rpcErrors.invalidRequest('The id of a request is a string or an integer'));
  }

  #receiveResponse(message: JsonObject): void {
    const { id } = message;
    if (!('result' in message || 'error' in message)) {
      this.#fail(null, rpcErrors.invalidRequest('A message has a method, a result or an error'));
    } else if (isRequestId(id)) {
      const settle = this.#sent.get(id);
      this.#sent.delete(id);
      settle?.(message);
    }
  }

  #receiveNotification(method: string, params: JsonValue | undefined, receiver: Receiver): void {
    if (method !== '$/cancel_request') {
      receiver.notification(method, params);
    } else if (isJsonObject(params) && isRequestId(params['requestId'])) {
      this.#received.get(params['requestId'])?.abort();
    }
  }

  async #answer(
    id: RequestId,
    method: string,
    params: JsonValue | undefined,
    receiver: Receiver,
  ): Promise<void> {
    const controller = new AbortController();
    this.#received.set(id, controller);
    try {
      const { result, afterwards } = await receiver.request(method, params, controller.signal);
      void this.#writer.write([{ jsonrpc: '2.0', id, result }]);
      this.#received.delete(id);
      afterwards?.();
    } catch (error) {
      this.#received.delete(id);
      this.#fail(id, error);
    }
  }

  #fail(id: RequestId | null, cause: unknown): void {
    const { code, message, data } =
      cause instanceof RpcError ? cause : rpcErrors.internal(`The demo agent failed: ${String(cause)}`);
    const error = { code, message, ...(data && { data }) };
    void this.#writer.write([{ jsonrpc: '2.0', id, error }]);
  }
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isSafeInteger(value));
}
