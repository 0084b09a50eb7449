import type { Diagnostic } from '../../../core/base/diagnostic.ts';
import { describeExit } from '../../../core/base/process-exit.ts';
import type { RecordedEnd } from '../../../core/trace/notes.ts';
import type { RecordedMessage } from '../../../records/recording/recorded-message.ts';
import { TrafficFold } from '../../../records/recording/traffic-fold.ts';
import { connectionItem } from './connection-item.ts';
import { ConversationChanges } from './conversations.ts';
import type { ConversationChange, TimelineItem } from './items.ts';
import { diagnosticItem, type NoteType } from './notes.ts';

/** What a timeline is written to. */
interface Timeline {
  /** Adds an item, and returns its index. */
  add(item: TimelineItem): number;
  /** Adds what an item changed. */
  addChanges(index: number, changes: readonly ConversationChange[]): void;
}

/** Folds the messages of a recording or of a live connection, and writes what each changes into a timeline. */
export class TimelineFold {
  readonly #timeline: Timeline;
  /** What the timeline gets from elsewhere: the fold adds none of it. */
  readonly #noted: ReadonlySet<NoteType>;
  readonly #conversations = new ConversationChanges();
  /** What the fold has reported of the message that is folded now. */
  #reported: Diagnostic[] = [];
  readonly #fold = new TrafficFold((diagnostic) => this.#reported.push(diagnostic));
  /** The parameters of the latest `initialize` request. */
  #offer: unknown;

  constructor(timeline: Timeline, noted: ReadonlySet<NoteType>) {
    this.#timeline = timeline;
    this.#noted = noted;
  }

  /** Folds a message of the item with this index, and adds what follows from it. */
  take(recorded: RecordedMessage, index: number): void {
    const { dir, t, message } = recorded;
    const before = this.#fold.agent;
    this.#fold.take(recorded);
    this.#addChanges(index, t);
    if (dir === 'out' && message['method'] === 'initialize') this.#offer = message['params'];
    const { agent } = this.#fold;
    if (agent && agent !== before) this.#timeline.add(connectionItem(agent, this.#offer, t, index));
  }

  /** The agent has ended, as the item with this index says. */
  end(end: RecordedEnd, index: number, t: number): void {
    this.#fold.end(end);
    if (!this.#noted.has('process')) this.#timeline.add(exitItem(end, t));
    this.#addChanges(index, t);
  }

  /** Nothing has come until this time. Returns whether a conversation still lacks something of a replay. */
  wait(index: number, t: number): boolean {
    const isWaiting = this.#fold.wait(t);
    this.#addChanges(index, t);
    return isWaiting;
  }

  #addChanges(index: number, t: number): void {
    this.#timeline.addChanges(index, this.#conversations.take(this.#fold.takeChanged()));
    for (const diagnostic of this.#reported.splice(0)) {
      if (!this.#noted.has('diagnostic')) this.#timeline.add(diagnosticItem(diagnostic, t, index));
    }
  }
}

function exitItem({ exitCode, signal = null }: RecordedEnd, t: number): TimelineItem {
  const exit = exitCode === undefined ? {} : { exitCode, signal };
  const how = exitCode === undefined ? 'closed the connection' : describeExit({ exitCode, signal });
  const reason = `The agent ${how} before the client closed the connection.`;
  return { type: 'process', t, state: 'exited', ...exit, reason };
}
