import type { ConversationStore } from '../../conversation/store.ts';

/** A session that works for another session. */
export interface Subagent {
  readonly sessionId: string;
  /** The session that it works for: the session of the user, or of another subagent. */
  readonly parentSessionId: string;
  readonly title: string | null;
  readonly description: string | null;
  /** The conversation of the subagent, kept up to date. */
  readonly conversation: ConversationStore;
}
