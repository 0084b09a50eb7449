import type { JsonObject } from '../base/json.ts';

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
