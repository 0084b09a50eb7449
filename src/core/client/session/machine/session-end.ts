import { AcpError, ConnectionStateError } from '../../../base/errors.ts';

/** Why a session is over. */
export interface SessionEnd {
  /**
   * - `closed`: by {@link Session.close}
   * - `deleted`: by {@link ClientConnection.deleteSession}
   * - `connectionClosed`: the connection ended or was closed, or the agent ended while it closed or deleted the session, and
   *   the call could not be sent again
   * - `lost`: the server of a remote agent no longer sends the session's messages to this connection, for example
   *   because another client has taken the session. `error` says why. It can be loaded or resumed again.
   * - `notRestored`: the agent was started again and could not open the session
   * - `notOpened`: the call that opens the session failed. Only `onProgress`, `connection.sessions` and handlers can
   *   give you such a session.
   */
  readonly reason: 'closed' | 'deleted' | 'connectionClosed' | 'lost' | 'notRestored' | 'notOpened';
  /**
   * For `connectionClosed` the error of `connection.closed`, for `lost`, `notRestored` and `notOpened` that of the call. Absent
   * if there is none: you closed the connection or aborted the call, or your `onAuthRequired` failed.
   */
  readonly error?: AcpError;
}

/** The end of a session, with its cause if that is an error of this library: the reason of a signal can be anything. */
export function sessionEnd(reason: SessionEnd['reason'], cause: unknown): SessionEnd {
  return AcpError.is(cause) ? { reason, error: cause } : { reason };
}

/** The error for a call on a session that is closed. `reason`: what closed it. */
export function sessionClosedError(method: string, sessionId: string, reason = 'closed') {
  const next = reason === 'notRestored' ? 'Create a new session.' : 'Load or resume the session first.';
  const message = `${method} was called on the session ${sessionId}, which is closed (${reason}). Nothing was sent. ${next}`;
  return new ConnectionStateError(message, { method });
}

/** The error of a call that was sent, and that the agent had not answered when its session ended. */
export function unansweredError(method: string, sessionId: string): ConnectionStateError {
  const message = `${method}: the session ${sessionId} ended before the agent answered. The agent can have taken the message.`;
  return new ConnectionStateError(message, { method });
}
