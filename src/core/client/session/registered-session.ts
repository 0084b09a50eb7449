import type { SessionRunner } from './runner.ts';
import type { Session } from './session.ts';
import type { Subagent } from './subagent.ts';

/** A session of the connection: what runs it, and what its user holds. */
export interface RegisteredSession {
  readonly runner: SessionRunner;
  /** The session that the user opened: for a subagent, the one that it works for. */
  readonly session: Session;
  readonly subagent?: Subagent;
}
