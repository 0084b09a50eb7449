import { type AcpError, AuthRequiredError, CancelledError, NotFoundError, RemoteError } from '../errors.ts';
import type { JsonValue } from '../json.ts';
import { shortened } from '../printable.ts';
import { remoteReason } from '../remote-reason.ts';
import * as rpcCodes from './codes.ts';

/** The maximum length of the agent's message in an error, in characters. */
const maxTextLength = 4000;

type RemoteErrorClass = new (
  message: string,
  options: {
    method: string;
    rpcCode: number;
    data?: JsonValue | undefined;
    agentMessage: string;
    promptAccepted?: boolean;
  },
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

/** The error for an error response of the agent. A code without a class of its own gives a {@link RemoteError}. */
export function remoteError(
  method: string,
  rpcCode: number,
  agentMessage: string,
  data: JsonValue | undefined,
  prompt: { readonly promptAccepted?: boolean } = {},
): AcpError {
  const create = classes.get(rpcCode) ?? RemoteError;
  const text = agentText(agentMessage, data);
  const message = `The agent answered ${method} with error ${rpcCode}: ${text || 'no message'}${/[.!?…]$/.test(text) ? '' : '.'}`;
  return new create(`${message}${remedies.get(rpcCode) ?? ''}`, {
    method,
    rpcCode,
    data,
    agentMessage: text,
    ...prompt,
  });
}

/** The message of an agent's error, with the reason that its data gives. */
export function agentText(agentMessage: string, data: unknown): string {
  return withReason(shortened(agentMessage, maxTextLength), remoteReason(data));
}

/** The agent's message and the reason in its data, unless one contains the other. */
function withReason(message: string, reason: string | undefined): string {
  if (reason === undefined || contains(message, reason)) return message;
  if (contains(reason, message)) return reason;
  return `${message.replace(/[\s.:]+$/, '')}: ${reason}`;
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.replace(/[\s.:]+$/, '').toLowerCase());
}
