import type { JsonObject } from '../json.ts';

/** An error that a request is answered with. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(code: number, message: string, data?: JsonObject) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const rpcErrors = {
  parse: () => new RpcError(-32700, 'The line is not JSON'),
  invalidRequest: (why: string) => new RpcError(-32600, why),
  methodNotFound: (method: string) => new RpcError(-32601, `There is no method ${method}`, { method }),
  invalidParams: (path: string, want: string) =>
    new RpcError(-32602, `${path} must be ${want}`, { path: path, expected: want }),
  internal: (why: string) => new RpcError(-32603, why),
  cancelled: () => new RpcError(-32800, 'The request was cancelled'),
  sessionNotFound: (sessionId: string) =>
    new RpcError(-32002, 'There is no such session, or it is not open on this connection', { sessionId }),
  unsupportedVersion: (requested: number, supported: readonly number[]) =>
    new RpcError(-32022, `Protocol version ${requested} is not supported`, { requested, supported }),
} as const;
