import type { Diagnostic } from '../diagnostic.ts';
import type { Conversation } from '../model/conversation.ts';
import type { DialectName } from '../protocol/dialect.ts';
import { readRecord } from '../trace/traffic.ts';
import { RecordedConnection } from './recorded-connection.ts';

/** What a recording does not say by itself. */
export interface FoldTrafficOptions {
  /** What the agent spoke, where the recording does not hold its answer to `initialize`. */
  readonly dialect?: DialectName | undefined;
}

/** One session of a recording. */
export interface FoldedSession {
  /** What a client that made this recording had in the end, after a crash as well. */
  readonly conversation: Conversation;
  /** How many updates the agent sent for it. */
  readonly updates: number;
}

/** What was in a recording. */
export interface FoldedTraffic {
  /** What the agent spoke; absent where the recording does not say, and then there are no sessions either. */
  readonly dialect: DialectName | undefined;
  /** In the order in which they were first named. */
  readonly sessions: readonly FoldedSession[];
  /** Lines that are no records, what was wrong with the agent's messages, and that it crashed. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Rebuilds the conversations of a recording, one `{"dir":"in"|"out","t":ms,"msg":{…}}` a line, without an agent: the
 * recorded calls are made again, and answered from the recording, by the same code that a live session runs on. A
 * load restarts its session, as it does live; a session that was closed keeps its transcript.
 *
 * Never rejects for what a recording holds; `lines` may throw.
 *
 * @example
 * ```ts
 * const { sessions } = await foldTraffic(recording.split('\n'));
 * ```
 */
export async function foldTraffic(
  lines: Iterable<string> | AsyncIterable<string>,
  options: FoldTrafficOptions = {},
): Promise<FoldedTraffic> {
  const connection = new RecordedConnection(options.dialect);
  let lineNumber = 0;
  for await (const line of lines) {
    lineNumber++;
    if (line.trim() === '') continue;
    const record = readRecord(line);
    if (record) await connection.take(record);
    else connection.skip(lineNumber, line);
  }
  return connection.result();
}
