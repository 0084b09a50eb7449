import { type Diagnostic, preview } from '../../../base/diagnostic.ts';
import type { JsonObject } from '../../../base/json.ts';
import { describeExit } from '../../../base/process-exit.ts';
import type { ClientConnection } from '../../../client/connection.ts';
import type { PlayObserver } from '../../../recording/play-observer.ts';
import { playTraffic } from '../../../recording/play-traffic.ts';
import { stepsOf, withoutToolTraffic } from '../../../recording/recorded-agent.ts';
import { readEndMark } from '../../../trace/ended.ts';
import { timelineNoteType } from '../../../trace/timeline-note.ts';
import { readRecord, type TrafficRecord } from '../../../trace/traffic.ts';
import { connectionItem } from './connection-item.ts';
import { ConversationChanges } from './conversations.ts';
import { diagnosticItem } from './diagnostic-item.ts';
import type { ConversationChange, TimelineItem } from './items.ts';
import { itemOfNote } from './notes.ts';
import { paramsOf } from './offered.ts';
import { shallow } from './shallow.ts';

/** A line of a recording. */
type Line = { readonly record: TrafficRecord } | { readonly problem: Diagnostic };

/**
 * Reads a recording as a timeline, without an agent. The conversations are those of `foldTraffic`. The content of a
 * recording never makes it reject.
 */
export async function readTimeline(text: string): Promise<readonly TimelineItem[]> {
  const reading = new Reading(linesOf(text));
  const report = (diagnostic: Diagnostic) => reading.report(diagnostic);
  await playTraffic(reading.steps, { report, observer: reading });
  return reading.finish();
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

type Step = Parameters<PlayObserver['begin']>[0];
type Run = Parameters<PlayObserver['ended']>[0];
type Sessions = Parameters<PlayObserver['handled']>[0];

/** A recording while it is played: the items so far. */
class Reading implements PlayObserver {
  readonly steps: readonly Step[];
  readonly #lines: readonly Line[];
  /** The line of each step, by its message. */
  readonly #lineOf = new Map<JsonObject, number>();
  readonly #items: TimelineItem[] = [];
  /** The item of each line. */
  readonly #itemOf: number[] = [];
  readonly #conversations = new ConversationChanges();
  /**
   * The numbers of the conversations as the fold lists them, by their numbers until then. A session that was never
   * opened has none.
   */
  readonly #numbers = new Map<number, number>();
  /** Whether the recording has the diagnostics of the client that made it. */
  readonly #hasDiagnostics: boolean;
  /** Whether the recording says how the process ended. */
  readonly #hasProcess: boolean;
  /** The runs whose end has its items, and the items of those ends that no diagnostic names yet, in order. */
  readonly #endedRuns = new Set<Run>();
  readonly #ends: (number | undefined)[] = [];
  /** The message that is played now, as the index of its item. */
  #current: number | undefined;
  /** The parameters of the latest `initialize` request. */
  #offer: JsonObject = {};

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
    const notes = new Set(lines.map((line) => 'record' in line && timelineNoteType(line.record.msg)));
    this.#hasDiagnostics = notes.has('diagnostic');
    this.#hasProcess = notes.has('process');
    const steps = lines.map((line) => ('record' in line ? stepsOf(line.record) : []));
    for (const [line, { message }] of steps.flatMap((each, line) =>
      each.map((step) => [line, step] as const),
    )) {
      this.#lineOf.set(message, line);
    }
    this.steps = withoutToolTraffic(steps.flat());
  }

  begin({ dir, message }: Step): void {
    const line = this.#lineOf.get(message);
    // The recording lacks a message that is assumed.
    if (line === undefined) return;
    this.#addThrough(line);
    this.#current = this.#itemOf[line];
    if (dir === 'out' && message['method'] === 'initialize') this.#offer = paramsOf(message);
  }

  initialized(connection: ClientConnection): void {
    const cause = this.#current;
    this.#items.push({
      ...connectionItem(connection, this.#offer),
      t: this.#time(),
      ...(cause !== undefined && { cause }),
    });
  }

  handled(sessions: Sessions): void {
    const changes = this.#conversations.take(sessions.map(({ conversation }) => conversation));
    this.#addChanges(this.#current ?? this.#items.length - 1, changes);
  }

  ended(run: Run, sessions: Sessions): void {
    this.#addEnd(run);
    this.handled(sessions);
  }

  closed(run: Run, sessions: Sessions): void {
    this.#addEnd(run);
    const numbers = this.#conversations.endConnection();
    for (const { conversation } of sessions) {
      const number = numbers.get(conversation.sessionId);
      if (number !== undefined) this.#numbers.set(number, this.#numbers.size);
    }
  }

  report(diagnostic: Diagnostic): void {
    if (this.#hasDiagnostics) return;
    // The ends of the runs of one connection are reported when it has ended, in the order of the runs.
    const cause = diagnostic.rule === 'connection.ended' ? this.#ends.shift() : this.#current;
    this.#items.push(diagnosticItem(diagnostic, this.#time(), cause));
  }

  finish(): readonly TimelineItem[] {
    this.#addThrough(this.#lines.length - 1);
    return this.#items.map((each) => {
      const item = shallow(each);
      if (!item.changes) return item;
      const changes = item.changes.flatMap((change) => {
        const conversation = this.#numbers.get(change.conversation);
        return conversation === undefined ? [] : [{ ...change, conversation }];
      });
      return { ...item, changes };
    });
  }

  /** Adds the lines up to this one. */
  #addThrough(last: number): void {
    while (this.#itemOf.length <= last) {
      const line = this.#lines[this.#itemOf.length];
      if (!line) return;
      this.#itemOf.push(this.#items.length);
      if ('problem' in line) this.#items.push(diagnosticItem(line.problem, this.#time(), undefined));
      else this.#items.push(this.#itemOfRecord(line.record));
    }
  }

  #itemOfRecord(record: TrafficRecord): TimelineItem {
    const { dir, t, msg } = record;
    const item = itemOfNote(record) ?? { type: 'message', dir, t, msg };
    if (item.type !== 'diagnostic' || item.cause === undefined) return item;
    const { cause: line, ...rest } = item;
    const cause = this.#itemOf[line];
    return { ...rest, ...(cause !== undefined && { cause }) };
  }

  /** Adds the record of the agent's end, which no step is for. */
  #addEnd(run: Run): void {
    const { end } = run;
    if (!end || this.#endedRuns.has(run)) return;
    this.#endedRuns.add(run);
    const line = this.#lines.findIndex(
      (candidate, index) =>
        index >= this.#itemOf.length &&
        'record' in candidate &&
        stepsOf(candidate.record).some(({ message }) => readEndMark(message)),
    );
    this.#addThrough(line);
    this.#current = this.#itemOf[line];
    this.#ends.push(this.#current);
    if (this.#hasProcess) return;
    const { exitCode, signal = null } = end;
    const exit = exitCode === undefined ? {} : { exitCode, signal };
    const how = exitCode === undefined ? 'closed the connection' : describeExit({ exitCode, signal });
    const reason = `The agent ${how} before the client closed the connection.`;
    this.#items.push({ type: 'process', t: this.#time(), state: 'exited', ...exit, reason });
  }

  #addChanges(index: number, changes: readonly ConversationChange[]): void {
    const item = this.#items[index];
    if (!item || changes.length === 0) return;
    this.#items[index] = { ...item, changes: [...(item.changes ?? []), ...changes] };
  }

  #time(): number {
    return this.#items.at(-1)?.t ?? 0;
  }
}
