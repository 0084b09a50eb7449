import { randomBytes } from 'node:crypto';
import type { Session } from '../../core/client/session/session.ts';
import { createdAtOf } from '../../core/client/session/session-origin.ts';
import type { TranscriptStorage } from './storage.ts';

/** What is known of the records of an open session. */
export interface SessionRecords {
  /** The transcript of the session in each storage. */
  readonly ids: WeakMap<TranscriptStorage, string>;
  /** Which session with its id it is. `undefined` if the agent had it before, and no record says it. */
  creation: string | undefined;
  /** Where the entries that it shows were first written, by their keys. */
  origins: Map<string, readonly string[]>;
}

const known = new WeakMap<Session, SessionRecords>();

export function sessionRecords(session: Session): SessionRecords {
  const before = known.get(session);
  if (before) return before;
  const createdAt = createdAtOf(session);
  // Two windows can create sessions with the same id in the same millisecond.
  const creation = createdAt && `${createdAt} ${randomBytes(4).toString('hex')}`;
  const records: SessionRecords = { ids: new WeakMap(), creation, origins: new Map() };
  known.set(session, records);
  // A load begins with an empty conversation, and gives the keys again.
  session.store.subscribe(() => {
    if (session.store.getSnapshot().entries.length === 0) records.origins = new Map();
  });
  return records;
}
