import type { JsonObject } from '../json.ts';
import type { Encoder } from './encoder.ts';
import type { SessionEvent } from './event.ts';
import type { StoredSession } from './history.ts';
import { OpenSession } from './open-session.ts';
import { readString } from './params.ts';
import type { Peer } from './peer.ts';
import { rpcErrors } from './rpc-error.ts';
import type { SessionStore } from './sessions.ts';

/** What the methods work with, once the version is agreed on. */
export interface Connection {
  readonly peer: Peer;
  readonly store: SessionStore;
  readonly encoder: Encoder;
  readonly openSessions: Map<string, OpenSession>;
  /** Ends the program in the middle of a line. */
  readonly crash: () => Promise<void>;
}

/** The session that the parameters name; it must be open on this connection. */
export function openSessionOf(connection: Connection, params: JsonObject): OpenSession {
  const sessionId = readString(params, 'sessionId');
  const session = connection.openSessions.get(sessionId);
  if (!session) throw rpcErrors.sessionNotFound(sessionId);
  return session;
}

export function openSession(connection: Connection, stored: StoredSession): OpenSession {
  const { sessionId } = stored;
  const session = new OpenSession(stored, connection.store, (event) =>
    sendUpdate(connection, sessionId, event),
  );
  connection.openSessions.set(sessionId, session);
  return session;
}

/** Tells the client something that need not be remembered, for it is known already. */
export function sendUpdate(connection: Connection, sessionId: string, event: SessionEvent): Promise<void> {
  const updates = connection.encoder.updates(event);
  return connection.peer.notify(
    'session/update',
    updates.map((update) => ({ sessionId, update })),
  );
}
