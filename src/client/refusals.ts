import type { Issue } from '../errors.ts';
import { listed } from '../issue.ts';
import type { JsonObject } from '../json.ts';
import * as rpcCodes from '../rpc/codes.ts';
import { RequestError } from '../rpc/request-error.ts';

/** The answer to a request that this client does not serve. */
export function notOffered(method: string): RequestError {
  return new RequestError(rpcCodes.methodNotFound, `This client does not offer ${method}.`);
}

/** The answer to a request whose parameters are not what the protocol says. */
export function wrongParameters(method: string, issues: readonly Issue[]): RequestError {
  return new RequestError(rpcCodes.invalidParams, `${method} has wrong parameters: ${listed(issues)}.`, {
    issues: issues.map(({ path, message }): JsonObject => ({ path, message })),
  });
}
