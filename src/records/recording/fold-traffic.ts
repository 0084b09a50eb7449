import { type Diagnostic, type DiagnosticListener, preview } from '../../core/base/diagnostic.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import type { DialectName } from '../../core/protocol/dialect.ts';
import type { TrafficRecord } from '../../core/trace/traffic.ts';
import { itemsOf, type RecordedTraffic, recordOf } from './record-traffic.ts';
import { endAt, messagesOf, type RecordedMessage, withoutToolTraffic } from './recorded-message.ts';
import { type FoldTrafficOptions, TrafficFold } from './traffic-fold.ts';

/** One session of a recording. */
export interface FoldedSession {
  /** The conversation of the recorded client at the end, also after a crash. */
  readonly conversation: Conversation;
  /** The number of updates that the agent sent for it. */
  readonly updates: number;
}

/** The content of a recording. */
export interface FoldedTraffic {
  /** The agent's dialect. Absent if the recording does not contain it; then there are no sessions. */
  readonly dialect: DialectName | undefined;
  /** The sessions in the order in which they first appear. */
  readonly sessions: readonly FoldedSession[];
  /** Problems: lines that are not records, invalid messages from the agent, and its crash. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Rebuilds the conversations of a recording without an agent and without a client. The recording has one
 * `{"dir":"in"|"out","t":ms,"msg":{…}}` per line. Each message changes the conversation of its session as it did in the
 * client. A load restarts its session, as it does live. A session that was closed, or whose agent ended, keeps its
 * transcript: what a later call brings is added.
 *
 * Reads the whole recording before it starts. The content of a recording never makes it reject. An error of an iterable
 * does.
 *
 * @param recording - What {@link playback} takes too: the text of a recording, its lines, or its records. Lines and
 *   records can also come one after the other, as from a stream.
 *
 * @example
 * ```ts
 * const { sessions } = await foldTraffic(await readFile('trace.ndjson', 'utf8'));
 * for (const { conversation } of sessions) console.log(conversation.sessionId, renderText(conversation));
 * ```
 */
export async function foldTraffic(
  recording: RecordedTraffic | AsyncIterable<string | TrafficRecord>,
  options: FoldTrafficOptions = {},
): Promise<FoldedTraffic> {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic) => void diagnostics.push(diagnostic);
  const messages = await readMessages(itemsOf(recording), report);
  const fold = new TrafficFold(report, options);
  for (const [index, message] of messages.entries()) {
    const end = endAt(message, messages[index + 1]);
    if (end) fold.end(end);
    else fold.take(message);
  }
  const sessions = fold.sessions.map(({ conversation, updates }) => ({ conversation, updates }));
  return { dialect: fold.agent?.dialect.name, sessions, diagnostics };
}

async function readMessages(
  items: Iterable<string | TrafficRecord> | AsyncIterable<string | TrafficRecord>,
  report: DiagnosticListener,
): Promise<readonly RecordedMessage[]> {
  const messages: RecordedMessage[] = [];
  let lineNumber = 0;
  for await (const line of items) {
    lineNumber++;
    if (typeof line === 'string' && line.trim() === '') continue;
    const record = recordOf(line);
    if (record) for (const message of messagesOf(record)) messages.push(message);
    else {
      const message = `Line ${lineNumber} is not a record of traffic, as in {"dir":"in","t":0,"msg":{…}}. It was ignored.`;
      report({ rule: 'transport.noise', severity: 'warning', message, received: preview(line) });
    }
  }
  return withoutToolTraffic(messages);
}
