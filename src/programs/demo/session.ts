import type { JsonObject } from '../../core/base/json.ts';

/** Whether the agent asks before it changes a file. */
export type Mode = 'ask' | 'auto';

/** The mode of a new session. */
export const initialMode: Mode = 'ask';

/** A session as it is stored: plain data. */
export interface Session {
  readonly sessionId: string;
  readonly cwd: string;
  additionalDirectories: readonly string[];
  title: string | null;
  /** ISO 8601, UTC. */
  updatedAt: string;
  mode: Mode;
  /** The updates of its transcript, in neutral form. A replay sends them as they were sent. */
  readonly history: JsonObject[];
  /** The keys of its prompts, each with the id of the message. */
  readonly keys: (readonly [key: string, messageId: string])[];
}

/** A session without a transcript. */
export function newSession(sessionId: string, cwd: string): Session {
  // A fixed time: the agent has no clock.
  const updatedAt = '2026-03-01T09:00:00.000Z';
  const begun = { title: null, updatedAt, mode: initialMode };
  return { sessionId, cwd, additionalDirectories: [], ...begun, history: [], keys: [] };
}
