import { ConnectionStateError } from '../../base/errors.ts';
import type { Caller } from '../calls/calls.ts';
import { sessionClosedError } from './machine/session-end.ts';
import type { SessionRunner } from './runner.ts';

/** Refuses a call on a session that is closed. */
export function assertOpen(session: SessionRunner, caller: Pick<Caller, 'refusal'>, method: string): void {
  if (session.status !== 'closed') return;
  // How the connection ended says more, where that is what closed the session.
  throw caller.refusal(method) ?? sessionClosedError(method, session.sessionId, session.state.closedBy);
}

/**
 * Refuses a call on a session whose messages were lost and that is being opened again. What the agent sends meanwhile
 * is history, which a turn that has begun could not be told from.
 */
export function assertAttached({ sessionId, state }: SessionRunner, method: string): void {
  if (!state.isDetached) return;
  const message = `${method} was called on the session ${sessionId}, which was lost and is being opened again. Nothing was sent. Wait for connection.ready, then call again.`;
  throw new ConnectionStateError(message, { method });
}

/**
 * Refuses to load a session while the agent works in it. What the agent sends until it answers counts as history, from
 * which its work cannot be told: a load that failed would take it back.
 */
export function assertNoTurn({ sessionId, isAtWork }: SessionRunner, method: string): void {
  if (!isAtWork) return;
  const message = `The session ${JSON.stringify(sessionId)} cannot be loaded while the agent works on a turn. Nothing was sent. Wait for the end of the turn, or cancel it. To load all the same, pass duringTurn: 'load'.`;
  throw new ConnectionStateError(message, { method });
}
