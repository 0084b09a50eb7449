import { hasBrand } from '../base/errors.ts';
import type { JsonValue } from '../base/json.ts';

const brand: unique symbol = Symbol.for('acp-client-sdk.request-error') as never;

/**
 * Thrown by a handler to answer the agent's request with this JSON-RPC error. The message and the data are sent
 * to the agent. Any other error that a handler throws is answered as an internal error, without its text.
 *
 * @example
 * throw new RequestError(-32002, `There is no file ${path}.`, { path });
 * @see https://agentclientprotocol.com/protocol/overview
 */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** The number in the JSON-RPC error. */
  readonly code: number;
  readonly data: JsonValue | undefined;

  constructor(code: number, message: string, data?: JsonValue) {
    super(message);
    this.code = code;
    this.data = data;
    Object.defineProperty(this, brand, { value: true });
  }

  /** Whether `value` is a `RequestError`, of this or another copy of the package. */
  static is(value: unknown): value is RequestError {
    return hasBrand(value, brand);
  }
}
