import type { DiagnosticListener } from '../../base/diagnostic.ts';
import type { Caller } from '../calls/calls.ts';
import type { Session } from './session.ts';

/** What the connection of a session knows, and what a recording of the session needs. */
export interface SessionOrigin {
  readonly caller: Caller;
  readonly report: DiagnosticListener;
}

/** Not a property of the session: a program that holds a session must not reach what was sent as a secret. */
const origins = new WeakMap<Session, SessionOrigin>();

export function setOrigin(session: Session, origin: SessionOrigin): void {
  origins.set(session, origin);
}

/** `undefined` for an object that no connection of this copy of the library made. */
export function originOf(session: Session): SessionOrigin | undefined {
  return origins.get(session);
}

/** When agents created sessions, in ISO 8601. */
const creations = new WeakMap<Session, string>();

export function setCreated(session: Session): void {
  creations.set(session, new Date().toISOString());
}

/** When the agent created the session for its connection. `undefined` for a session that the agent had before. */
export function createdAtOf(session: Session): string | undefined {
  return creations.get(session);
}
