import { isJsonObject, isRequestId, type JsonObject, type RequestId } from '../../base/json.ts';

/** What a call of the client does to a session. */
export interface SessionMethod {
  /**
   * - `opens`: its answer names a new session
   * - `attaches`: it attaches a session to the connection. Before it the server may not know the session's stream.
   * - `ends`: after its success the session has no messages
   */
  readonly session?: 'opens' | 'attaches' | 'ends' | undefined;
  /** Whether the agent sends the history of the session again. */
  readonly replays?: ((params: JsonObject) => boolean) | undefined;
}

/** What a transport with a stream for each session has to know of the protocol. It has no method names of its own. */
export interface SessionMethods {
  /** The calls of the client, by method. */
  readonly calls: Readonly<Record<string, SessionMethod>>;
  /** The call that makes a connection. */
  readonly initialize: string;
  /** The notification that withdraws a call. */
  readonly cancelRequest: string;
  /** The notification with an update of a session. */
  readonly sessionUpdate: string;
  /** The kind of update that names the session of a subagent. */
  readonly subagentUpdate: string;
}

/** A call of the client that has no answer yet. */
export interface OpenRequest {
  readonly id: RequestId;
  readonly method: string;
  /** The session that the call names. */
  readonly sessionId: string | undefined;
  /** What it does to a session. */
  readonly session: SessionMethod['session'];
  /** Whether the agent sends the history of the session again. */
  readonly isReplay: boolean;
}

/** The id of a message that is a request or an answer. */
export function idOf(message: object): RequestId | undefined {
  const id: unknown = Reflect.get(message, 'id');
  return isRequestId(id) ? id : undefined;
}

export function methodOf(message: object): string | undefined {
  const method: unknown = Reflect.get(message, 'method');
  return typeof method === 'string' ? method : undefined;
}

export function paramsOf(message: object): JsonObject {
  const params: unknown = Reflect.get(message, 'params');
  return isJsonObject(params) ? params : {};
}

/** The session that the parameters of a message name. */
export function namedSession(message: object): string | undefined {
  return sessionIdIn(paramsOf(message));
}

/** The session that an answer opens. */
export function openedSession(message: object): string | undefined {
  return sessionIdIn(Reflect.get(message, 'result'));
}

/** The session that an update of a kind names. */
export function sessionInUpdate(message: object, kind: string): string | undefined {
  const { update } = paramsOf(message);
  return isJsonObject(update) && update['sessionUpdate'] === kind ? sessionIdIn(update) : undefined;
}

function sessionIdIn(value: unknown): string | undefined {
  const sessionId = isJsonObject(value) ? value['sessionId'] : undefined;
  // A header cannot carry other ids.
  return typeof sessionId === 'string' && /^[\x21-\x7e]{1,1024}$/.test(sessionId) ? sessionId : undefined;
}
