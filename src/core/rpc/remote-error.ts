import { preview } from '../base/diagnostic.ts';
import {
  type AcpError,
  AuthRequiredError,
  CancelledError,
  InvalidMessageError,
  MethodNotFoundError,
  NotFoundError,
  RemoteError,
} from '../base/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { agentText } from '../base/remote-reason.ts';
import * as rpcCodes from './codes.ts';

type RemoteErrorClass = new (...values: ConstructorParameters<typeof RemoteError>) => RemoteError;

/** The classes of the errors with a code of their own, and what to do. */
const kinds = new Map<number, readonly [RemoteErrorClass, remedy?: string]>([
  [
    rpcCodes.authRequired,
    [AuthRequiredError, ' Log in with one of connection.authMethods, then call again.'],
  ],
  [
    rpcCodes.notFound,
    [NotFoundError, ' It may have been deleted, or belong to another agent: list the sessions again.'],
  ],
  [rpcCodes.methodNotFound, [MethodNotFoundError]],
  [rpcCodes.cancelled, [CancelledError]],
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
  const [create, remedy = ''] = kinds.get(rpcCode) ?? [RemoteError];
  const text = agentText(agentMessage, data);
  return new create(`${answeredWithError(method, rpcCode, text)}${remedy}`, {
    method,
    rpcCode,
    data,
    agentMessage: text,
    ...prompt,
  });
}

/** The error of an answer from the agent. `undefined` if the answer has a result. */
export function errorIn(method: string, answer: JsonObject): AcpError | undefined {
  const { error } = answer;
  if (isErrorObject(error)) return remoteError(method, error.code, error.message, error.data);
  if ('result' in answer && error == null) return undefined;
  const text = `The agent's answer to ${method} has neither a result nor a valid error: ${preview(answer)}`;
  return new InvalidMessageError(text, { method });
}

function isErrorObject(error: unknown): error is { code: number; message: string; data?: JsonValue } {
  return isJsonObject(error) && typeof error['code'] === 'number' && typeof error['message'] === 'string';
}
