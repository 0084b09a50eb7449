import { isJsonObject } from '../../../core/base/json.ts';
import { applyPatch, type ConversationPatch } from '../../../core/conversation/patch.ts';
import type { Conversation } from '../../../core/model/conversation.ts';
import type { ConnectionItem, ConversationChange, TimelineItem, TimelineLine } from '../timeline/items.ts';
import { countWhile } from './count-while.ts';
import { addRow, type OpenRequests, type Row, sessionIn } from './rows.ts';

/** What changed a conversation: the index of the item, and the operations. */
interface Change {
  readonly index: number;
  readonly patch: ConversationPatch;
}

/** A conversation of a timeline, through time. */
interface Track {
  readonly sessionId: string;
  readonly changes: Change[];
  /** The conversation after each `checkpointDistance` changes. Made when it is first needed. */
  readonly checkpoints: Conversation[];
  /** The indexes of the items that changed an entry, by the key of the entry. */
  readonly itemsOfEntry: Map<string, number[]>;
  /** Where it became idle, and why. */
  readonly idle: { readonly index: number; readonly stopReason: string | null }[];
  /** The conversation that was asked for last, and how many changes it has. */
  last: { readonly count: number; readonly conversation: Conversation } | undefined;
}

const checkpointDistance = 512;

/** A longer pause is as long as this where the time is drawn and played, in milliseconds. */
const maxPauseMs = 2000;

/** A timeline in the page. It grows while the agent runs. */
export class LoadedTimeline {
  readonly title: string;
  readonly rows: Row[] = [];
  /**
   * The time of each row, in milliseconds. It never becomes less: a recording that was put together can have times that do.
   */
  readonly times: number[] = [];
  /** The same without the rest of each long pause. The slider, the bars and the playing have these times. */
  readonly drawnTimes: number[] = [];
  /** Changes with each item, and with each change of a conversation. */
  version = 0;
  /** Whether the rest of a recording is still to come. */
  isReading = false;
  /** How many lines of the recording have come, from 0 to 1. */
  readShare = 0;
  readonly #open: OpenRequests = new Map();
  /** By the number of the conversation. */
  readonly #tracks: Track[] = [];
  /** The index and the conversation of each change. */
  readonly #touched: { readonly index: number; readonly conversation: number }[] = [];

  constructor(title: string, lines: readonly TimelineLine[]) {
    this.title = title;
    for (const line of lines) this.take(line);
  }

  get length(): number {
    return this.rows.length;
  }

  /** Whether it is a saved transcript, without messages. */
  get isTranscript(): boolean {
    return this.rows[0]?.kind === 'transcript';
  }

  take(line: TimelineLine): void {
    this.version++;
    if ('item' in line) this.#addItem(line.item);
    else for (const change of line.changes) this.#addChange(line.index, change);
  }

  #addItem(item: TimelineItem): void {
    addRow(this.rows, this.#open, item);
    const before = this.times.at(-1) ?? 0;
    const time = Number.isFinite(item.t) ? Math.max(before, item.t) : before;
    this.times.push(time);
    this.drawnTimes.push((this.drawnTimes.at(-1) ?? 0) + Math.min(time - before, maxPauseMs));
  }

  #addChange(index: number, change: ConversationChange): void {
    const { conversation, patch } = change;
    this.#tracks[conversation] ??= {
      sessionId: sessionOf(patch),
      changes: [],
      checkpoints: [],
      itemsOfEntry: new Map(),
      idle: [],
      last: undefined,
    };
    const { changes, itemsOfEntry, idle } = this.#tracks[conversation];
    changes.push({ index, patch });
    this.rows[index]?.changes.push(change);
    this.#touched.push({ index, conversation });
    const stopReason = idleIn(patch);
    if (stopReason !== undefined) idle.push({ index, stopReason });
    for (const key of changedKeys(change)) {
      const items = itemsOfEntry.get(key);
      if (!items) itemsOfEntry.set(key, [index]);
      else if (items.at(-1) !== index) items.push(index);
    }
  }

  /** Whether a pause is drawn shorter than it was. */
  get isShortened(): boolean {
    return (this.drawnTimes.at(-1) ?? 0) < (this.times.at(-1) ?? 0);
  }

  /** The index of the last row at or before one of {@link drawnTimes}. */
  indexAt(time: number): number {
    return countWhile(this.drawnTimes.length, (index) => (this.drawnTimes[index] ?? 0) <= time) - 1;
  }

  /** The conversations of the timeline, by their number. */
  conversations(): readonly { readonly sessionId: string }[] {
    return this.#tracks;
  }

  /** The conversation that an item at or before `index` changed last. */
  shownAt(index: number): number | null {
    const count = countUntil(this.#touched, index);
    return (count === 0 ? this.#touched[0] : this.#touched[count - 1])?.conversation ?? null;
  }

  /** A conversation after the item at `index`. `undefined` if it has not begun. */
  conversationAt(conversation: number, index: number): Conversation | undefined {
    const track = this.#tracks[conversation];
    if (!track) return undefined;
    const count = countUntil(track.changes, index);
    if (count === 0) return undefined;
    if (track.last?.count !== count) track.last = { count, conversation: conversationAfter(track, count) };
    return track.last.conversation;
  }

  /** The indexes of the items that changed an entry, in order. The plans of a conversation have a key too. */
  itemsOf(conversation: number, key: string): readonly number[] {
    return this.#tracks[conversation]?.itemsOfEntry.get(key) ?? [];
  }

  /** Where the conversation of a row becomes idle after it, and why. `undefined`: it has not. */
  idleAfter(index: number): { readonly index: number; readonly stopReason: string | null } | undefined {
    const { sessionId } = this.rows[index] ?? {};
    const number = this.#tracks.findLastIndex((track) => track.sessionId === sessionId);
    return this.#tracks[number]?.idle.find((each) => each.index > index);
  }

  /** What the agent offered at or before `index`, or first. */
  connectionAt(index: number): ConnectionItem | undefined {
    let found: ConnectionItem | undefined;
    for (const { item, index: at } of this.rows) {
      if (item.type !== 'connection') continue;
      if (found && at > index) break;
      found = item;
    }
    return found;
  }
}

/** The conversation after a number of changes, from the nearest one before that is known. */
function conversationAfter({ changes, checkpoints, last }: Track, count: number): Conversation {
  if (last && last.count < count && count - last.count < checkpointDistance) {
    return applied(last.conversation, changes.slice(last.count, count));
  }
  const full = Math.floor(count / checkpointDistance);
  while (checkpoints.length < full) {
    const from = checkpoints.length * checkpointDistance;
    checkpoints.push(applied(checkpoints.at(-1), changes.slice(from, from + checkpointDistance)));
  }
  return applied(checkpoints[full - 1], changes.slice(full * checkpointDistance, count));
}

/** One patch for many changes: each part of the conversation is copied once. */
function applied(start: Conversation | undefined, changes: readonly Change[]): Conversation {
  return applyPatch(
    start,
    changes.flatMap(({ patch }) => patch),
  );
}

/** Why a patch makes a conversation idle. `undefined`: it does not. */
function idleIn(patch: ConversationPatch): string | null | undefined {
  for (const operation of patch) {
    if (operation.op !== 'set' || operation.path[0] !== 'activity' || !isJsonObject(operation.value))
      continue;
    const { state, stopReason } = operation.value;
    if (state === 'idle') return typeof stopReason === 'string' ? stopReason : null;
  }
  return undefined;
}

/** The session of the first patch of a conversation, which is complete. */
function sessionOf(patch: ConversationPatch): string {
  const [first] = patch;
  const value = first?.op === 'set' && first.path.length === 0 ? first.value : undefined;
  return sessionIn(value) ?? '';
}

/** How many items of an ascending list are at or before `index`. */
function countUntil(list: readonly { readonly index: number }[], index: number): number {
  return countWhile(list.length, (place) => (list[place]?.index ?? 0) <= index);
}

/** Stands for the plans of a conversation where an entry is named by its key. Plans are beside the entries. */
export const plansKey = '(plans)';

/** The keys of the entries that a change adds or changes, with the one of the plans. */
export function changedKeys({ entries, patch }: ConversationChange): readonly string[] {
  const changesPlans = patch.some((operation) => operation.op !== 'output' && operation.path[0] === 'plans');
  return changesPlans ? [...entries, plansKey] : entries;
}
