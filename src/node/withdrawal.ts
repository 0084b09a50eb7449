import * as rpcCodes from '../rpc/codes.ts';
import { RequestError } from '../rpc/request-error.ts';

/** The answer to a request that the agent withdrew, or whose connection has ended. */
export function withdrawn(): RequestError {
  return new RequestError(rpcCodes.cancelled, 'The agent withdrew its request.');
}

/** Throws the answer to a withdrawn request if `signal` is aborted. */
export function assertNotWithdrawn(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw withdrawn();
}
