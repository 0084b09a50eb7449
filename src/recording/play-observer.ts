import type { DiagnosticListener } from '../base/diagnostic.ts';
import type { ClientConnection } from '../client/connection.ts';
import type { Conversation } from '../model/conversation.ts';
import type { DialectName } from '../protocol/dialect.ts';
import type { PathMap } from '../protocol/path-map.ts';
import type { Step } from './recorded-agent.ts';
import type { RecordedRun } from './recorded-runs.ts';

/** One session of a recording. */
export interface FoldedSession {
  /** The conversation of the recorded client at the end, also after a crash. */
  readonly conversation: Conversation;
  /** The number of updates that the agent sent for it. */
  readonly updates: number;
}

/** How a recording is played. */
export interface PlayOptions {
  readonly report: DiagnosticListener;
  /** What the agent spoke, where the recording does not hold its answer to `initialize`. */
  readonly dialect?: DialectName | undefined;
  /** The map of the recorded client. */
  readonly paths?: PathMap | undefined;
  /** Has the client handle each message before the next one, which takes several times as long. */
  readonly observer?: PlayObserver;
}

/**
 * Follows a recording while it is played. Each message is then handled before the next one, so that what changes between
 * two calls belongs to one message.
 */
export interface PlayObserver {
  /** A message comes next. */
  readonly begin: (step: Step) => void;
  /** The message was handled. Gets the sessions that it can have changed. */
  readonly handled: (sessions: readonly FoldedSession[]) => void;
  /** The agent has answered `initialize`. Called after `begin` of the answer. */
  readonly initialized: (connection: ClientConnection) => void;
  /** The end of a run was handled. */
  readonly ended: (run: RecordedRun, sessions: readonly FoldedSession[]) => void;
  /** The recorded connection has ended, with its last run, and another one can follow. */
  readonly closed: (lastRun: RecordedRun, sessions: readonly FoldedSession[]) => void;
}
