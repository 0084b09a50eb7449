import type { ClientConnection } from '../client/connection.ts';
import type { Conversation } from '../model/conversation.ts';
import type { Step } from './recorded-agent.ts';
import type { RecordedRun } from './recorded-runs.ts';

/** A session that a client of a recording had. */
export interface PlayedSession {
  readonly conversation: Conversation;
  /** The number of updates that the agent sent for it. */
  readonly updates: number;
}

/**
 * Follows a recording while it is played. Each message is then handled before the next one, so that what changes between
 * two calls belongs to one message.
 */
export interface PlayObserver {
  /** A message comes next. */
  readonly begin: (step: Step) => void;
  /** The message was handled. Gets the sessions that it can have changed. */
  readonly handled: (sessions: readonly PlayedSession[]) => void;
  /** The agent has answered `initialize`. Called after `begin` of the answer. */
  readonly initialized: (connection: ClientConnection) => void;
  /** The end of a run was handled. */
  readonly ended: (run: RecordedRun, sessions: readonly PlayedSession[]) => void;
  /** The recorded connection has ended, with its last run, and another one can follow. */
  readonly closed: (lastRun: RecordedRun, sessions: readonly PlayedSession[]) => void;
}
