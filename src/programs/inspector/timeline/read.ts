import { type Diagnostic, preview } from '../../../core/base/diagnostic.ts';
import type { JsonObject } from '../../../core/base/json.ts';
import { describeExit } from '../../../core/base/process-exit.ts';
import type { RecordedEnd } from '../../../core/trace/ended.ts';
import { timelineNoteType } from '../../../core/trace/timeline-note.ts';
import { readRecord, type TrafficRecord } from '../../../core/trace/traffic.ts';
import {
  endAt,
  messagesOf,
  type RecordedMessage,
  withoutToolTraffic,
} from '../../../records/recording/recorded-message.ts';
import { TrafficFold } from '../../../records/recording/traffic-fold.ts';
import { connectionItem } from './connection-item.ts';
import { ConversationChanges } from './conversations.ts';
import { diagnosticItem } from './diagnostic-item.ts';
import type { TimelineItem } from './items.ts';
import { itemOfNote } from './notes.ts';
import { paramsOf } from './offered.ts';
import { shallow } from './shallow.ts';

/** A line of a recording. */
type Line = { readonly record: TrafficRecord } | { readonly problem: Diagnostic };

/** How many lines are read at once. */
const stepLines = 500;

/**
 * Reads a recording as a timeline, without an agent. The conversations are those of `foldTraffic`. The content of a
 * recording never makes it throw.
 *
 * @param onStep - Called with how much is read, from 0 to 1. Reading goes on when it has resolved.
 */
export async function readTimeline(
  text: string,
  onStep: (share: number) => Promise<void> = async () => {},
): Promise<readonly TimelineItem[]> {
  const lines = linesOf(text);
  const messages = lines.map((line) => ('record' in line ? messagesOf(line.record) : []));
  const folded = withoutToolTraffic(messages.flat());
  const following = new Map(folded.map((message, index) => [message, folded[index + 1]]));
  const reading = new Reading(lines);
  for (const [index, line] of lines.entries()) {
    if (index % stepLines === 0) await onStep(index / lines.length);
    reading.add(line);
    for (const message of messages[index] ?? [])
      if (following.has(message)) reading.fold(message, following.get(message));
  }
  return reading.items.map(shallow);
}

function linesOf(text: string): readonly Line[] {
  return text.split('\n').flatMap((line, index): Line[] => {
    if (line.trim() === '') return [];
    const record = readRecord(line);
    if (record) return [{ record }];
    const message = `Line ${index + 1} is not a record of traffic, as in {"dir":"in","t":0,"msg":{…}}. It was ignored.`;
    return [{ problem: { rule: 'transport.noise', severity: 'warning', message, received: preview(line) } }];
  });
}

/** A recording while it is folded: the items so far. */
class Reading {
  readonly items: TimelineItem[] = [];
  /** The item of each line. */
  readonly #itemOf: number[] = [];
  readonly #conversations = new ConversationChanges();
  /** Whether the recording has the diagnostics of the client that made it. */
  readonly #hasDiagnostics: boolean;
  /** Whether the recording says how the process ended. */
  readonly #hasProcess: boolean;
  /** What the fold has reported of the message that is folded now. */
  #reported: Diagnostic[] = [];
  readonly #fold = new TrafficFold({ report: (diagnostic) => this.#reported.push(diagnostic) });
  /** The parameters of the latest `initialize` request. */
  #offer: JsonObject = {};

  constructor(lines: readonly Line[]) {
    const notes = new Set(lines.map((line) => 'record' in line && timelineNoteType(line.record.msg)));
    this.#hasDiagnostics = notes.has('diagnostic');
    this.#hasProcess = notes.has('process');
  }

  add(line: Line): void {
    this.#itemOf.push(this.items.length);
    if ('problem' in line) this.#addDiagnostic(line.problem, undefined);
    else this.items.push(this.#itemOfRecord(line.record));
  }

  /** Folds a message of the line that was added last, and adds what follows from it. */
  fold(recorded: RecordedMessage, following: RecordedMessage | undefined): void {
    const cause = this.#itemOf.at(-1) ?? 0;
    const { dir, message } = recorded;
    const before = this.#fold.agent;
    const end = endAt(recorded, following);
    if (end) this.#fold.end(end);
    else this.#fold.take(recorded);
    this.#addChanges(cause);
    if (end && !this.#hasProcess) this.#addExit(end);
    for (const diagnostic of this.#reported.splice(0)) {
      if (!this.#hasDiagnostics) this.#addDiagnostic(diagnostic, cause);
    }
    if (dir === 'out' && message['method'] === 'initialize') this.#offer = paramsOf(message);
    const { agent } = this.#fold;
    if (!agent || agent === before) return;
    const { agentInfo, initializeResult, capabilities, dialect } = agent;
    const { protocolVersion, name } = dialect;
    const described = { agentInfo, initializeResult, protocolVersion, dialect: name };
    const item = connectionItem({ ...described, explain: capabilities.explain }, this.#offer);
    this.items.push({ ...item, t: this.#time(), cause });
  }

  #itemOfRecord(record: TrafficRecord): TimelineItem {
    const { dir, t, msg } = record;
    const item = itemOfNote(record) ?? { type: 'message', dir, t, msg };
    if (item.type !== 'diagnostic' || item.cause === undefined) return item;
    const { cause: line, ...rest } = item;
    const cause = this.#itemOf[line];
    return { ...rest, ...(cause !== undefined && { cause }) };
  }

  #addDiagnostic(diagnostic: Diagnostic, cause: number | undefined): void {
    this.items.push(diagnosticItem(diagnostic, this.#time(), cause));
  }

  #addExit({ exitCode, signal = null }: RecordedEnd): void {
    const exit = exitCode === undefined ? {} : { exitCode, signal };
    const how = exitCode === undefined ? 'closed the connection' : describeExit({ exitCode, signal });
    const reason = `The agent ${how} before the client closed the connection.`;
    this.items.push({ type: 'process', t: this.#time(), state: 'exited', ...exit, reason });
  }

  #addChanges(index: number): void {
    const item = this.items[index];
    const changes = this.#conversations.take(this.#fold.takeChanged());
    if (item && changes.length > 0)
      this.items[index] = { ...item, changes: [...(item.changes ?? []), ...changes] };
  }

  #time(): number {
    return this.items.at(-1)?.t ?? 0;
  }
}
