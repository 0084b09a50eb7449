import { type AcpError, AuthRequiredError, CancelledError, NotFoundError, RemoteError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { shortened } from '../printable.ts';
import * as rpcCodes from './codes.ts';

/** How much of what the agent says an error repeats, in characters. */
const maxTextLength = 4000;

type RemoteErrorClass = new (
  message: string,
  options: { method: string; rpcCode: number; data?: JsonValue | undefined },
) => RemoteError;

const classes: ReadonlyMap<number, RemoteErrorClass> = new Map<number, RemoteErrorClass>([
  [rpcCodes.authRequired, AuthRequiredError],
  [rpcCodes.notFound, NotFoundError],
  [rpcCodes.cancelled, CancelledError],
]);

const remedies: ReadonlyMap<number, string> = new Map([
  [rpcCodes.authRequired, ' Log in with one of connection.authMethods, then call again.'],
  [rpcCodes.notFound, ' It may have been deleted, or belong to another agent: list the sessions again.'],
]);

/** The error for what the agent answered. Agents put anything into the code: whatever is not known stays general. */
export function remoteError(
  method: string,
  rpcCode: number,
  said: string,
  data: JsonValue | undefined,
): AcpError {
  const create = classes.get(rpcCode) ?? RemoteError;
  const text = shortened(said, maxTextLength);
  const message = `The agent answered ${method} with error ${rpcCode}: ${text || 'no message'}${/[.!?…]$/.test(text) ? '' : '.'}`;
  return new create(`${message}${remedies.get(rpcCode) ?? ''}`, { method, rpcCode, data });
}
