import {
  type AcpError,
  AuthRequiredError,
  CancelledError,
  MethodNotFoundError,
  NotFoundError,
  RemoteError,
} from '../base/errors.ts';
import type { JsonValue } from '../base/json.ts';
import { agentText } from '../base/remote-reason.ts';
import * as rpcCodes from './codes.ts';

type RemoteErrorClass = new (...values: ConstructorParameters<typeof RemoteError>) => RemoteError;

const classes: ReadonlyMap<number, RemoteErrorClass> = new Map<number, RemoteErrorClass>([
  [rpcCodes.authRequired, AuthRequiredError],
  [rpcCodes.notFound, NotFoundError],
  [rpcCodes.methodNotFound, MethodNotFoundError],
  [rpcCodes.cancelled, CancelledError],
]);

const remedies: ReadonlyMap<number, string> = new Map([
  [rpcCodes.authRequired, ' Log in with one of connection.authMethods, then call again.'],
  [rpcCodes.notFound, ' It may have been deleted, or belong to another agent: list the sessions again.'],
]);

/** What happened, as one sentence. */
export function answeredWithError(method: string, rpcCode: number, text: string): string {
  const end = /[.!?…]$/.test(text) ? '' : '.';
  return `The agent answered ${method} with error ${rpcCode}: ${text || 'no message'}${end}`;
}

/** The error for an error response from the agent. A code without a class of its own gives a {@link RemoteError}. */
export function remoteError(
  method: string,
  rpcCode: number,
  agentMessage: string,
  data: JsonValue | undefined,
  prompt: { readonly promptAccepted?: boolean } = {},
): AcpError {
  const create = classes.get(rpcCode) ?? RemoteError;
  const text = agentText(agentMessage, data);
  return new create(`${answeredWithError(method, rpcCode, text)}${remedies.get(rpcCode) ?? ''}`, {
    method,
    rpcCode,
    data,
    agentMessage: text,
    ...prompt,
  });
}
