import { isJsonObject, type JsonObject } from '../../json.ts';
import { isRequestId, type RequestId } from '../../request-id.ts';

/** A call of the client that has no answer yet. */
export interface OpenRequest {
  readonly id: RequestId;
  readonly method: string;
  /** The session that the call names. */
  readonly sessionId: string | undefined;
  /** Whether the agent sends the history of the session again. */
  readonly isReplay: boolean;
}

/** The calls that attach a session to the connection. Before them the server may not know the session's stream. */
const attaching: ReadonlySet<string> = new Set(['session/load', 'session/resume']);

/** The calls whose answer names a new session. */
const opening: ReadonlySet<string> = new Set(['session/new', 'session/fork']);

/** The calls after whose success a session has no messages any more. */
const ending: ReadonlySet<string> = new Set(['session/close', 'session/delete']);

export function attaches({ method }: OpenRequest): boolean {
  return attaching.has(method);
}

export function opens({ method }: OpenRequest): boolean {
  return opening.has(method);
}

export function ends({ method }: OpenRequest): boolean {
  return ending.has(method);
}

/** Whether a message makes the agent send the history of a session again. */
export function asksForReplay(message: object): boolean {
  const params: unknown = Reflect.get(message, 'params');
  const method = methodOf(message);
  if (method !== 'session/resume') return method === 'session/load';
  return isJsonObject(params) && isJsonObject(params['replayFrom']);
}

/** The id of a message that is a request or an answer. */
export function idOf(message: object): RequestId | undefined {
  const id: unknown = Reflect.get(message, 'id');
  return isRequestId(id) ? id : undefined;
}

/** The call that a message answers. */
export function answeredCall(message: unknown): RequestId | undefined {
  return isJsonObject(message) && message['method'] === undefined ? idOf(message) : undefined;
}

export function methodOf(message: object): string | undefined {
  const method: unknown = Reflect.get(message, 'method');
  return typeof method === 'string' ? method : undefined;
}

/** The session that the parameters of a message name. */
export function namedSession(message: object): string | undefined {
  return sessionIdIn(Reflect.get(message, 'params'));
}

/** The session that an answer opens. */
export function openedSession(message: object): string | undefined {
  return sessionIdIn(Reflect.get(message, 'result'));
}

/** The call that a message withdraws. */
export function withdrawnCall(message: object): RequestId | undefined {
  const params: unknown = Reflect.get(message, 'params');
  if (methodOf(message) !== '$/cancel_request' || !isJsonObject(params)) return undefined;
  const { requestId } = params;
  return isRequestId(requestId) ? requestId : undefined;
}

/** The session of a subagent that an update names. */
export function namedSubagent(message: object): string | undefined {
  const params: unknown = Reflect.get(message, 'params');
  const update: unknown = isJsonObject(params) ? params['update'] : undefined;
  if (!isJsonObject(update) || update['sessionUpdate'] !== 'subagent_update') return undefined;
  return sessionIdIn(update);
}

function sessionIdIn(value: unknown): string | undefined {
  const sessionId = isJsonObject(value) ? (value as JsonObject)['sessionId'] : undefined;
  // A header cannot carry other ids.
  return typeof sessionId === 'string' && /^[\x21-\x7e]{1,1024}$/.test(sessionId) ? sessionId : undefined;
}
