import type { Session } from '../client/session/session.ts';
import type { FoldedSession } from './play-observer.ts';

/** A session that a recording names. */
export interface NamedSession {
  updates: number;
  /** Whether a call opens it. `assumed`: the recording lacks that call. */
  opening: 'none' | 'recorded' | 'assumed';
  /** As it was opened last. */
  session?: Session;
}

/** A named session as the client had it, unless nothing but its name is known. */
export function played(named: NamedSession, session: Session | undefined): readonly FoldedSession[] {
  const { updates, opening } = named;
  const conversation = (session ?? named.session)?.conversation;
  const isOnlyNamed = opening === 'assumed' && updates === 0 && conversation?.entries.length === 0;
  return conversation && !isOnlyNamed ? [{ conversation, updates }] : [];
}
