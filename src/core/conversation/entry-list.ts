import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { isToolCallFinished } from '../model/tool-call.ts';
import { EntryIndex } from './entry-index.ts';
import { freeze } from './equal.ts';
import { recordVersion } from './list-versions.ts';
import type { MetaDraft } from './meta.ts';

/** The entries of a draft, with an index by id and key. */
export class EntryList {
  #entries: ConversationEntry[];
  readonly index = new EntryIndex();
  /** The latest snapshot; `undefined` if an entry changed since. */
  #snapshot: Conversation['entries'] | undefined;
  /** The number of the latest snapshot. */
  #version = 0;
  /** How many entries at the start are those of the latest snapshot. */
  #unchanged = 0;
  /** How many entries the latest snapshot has. */
  #snapshotLength: number;
  /** Entries before this index contain only tool calls that have ended, as far as they were checked. */
  #firstUnfinished = 0;
  /** Index of the entry that changed last. It often changes again before a snapshot, and is frozen after that. */
  #unfrozen = -1;
  readonly #metas: MetaDraft;
  /** Indexes of other entries that are not frozen, because their metadata is open. */
  readonly #withOpenMeta = new Set<number>();

  constructor(entries: Conversation['entries'], metas: MetaDraft) {
    this.#metas = metas;
    this.#entries = [...entries];
    this.#snapshot = entries;
    this.#snapshotLength = entries.length;
    this.#indexAll();
  }

  get length(): number {
    return this.#entries.length;
  }

  at(index: number): ConversationEntry | undefined {
    return this.#entries[index];
  }

  /** Whether a snapshot can contain the entry as it is now. During a replay there is no snapshot yet. */
  mayBeInSnapshot(index: number): boolean {
    return index < this.#snapshotLength && index !== this.#unfrozen;
  }

  /** Adds an entry at the end. Returns its index. */
  append(entry: ConversationEntry, ownKey: string | undefined): number {
    const index = this.#entries.push(entry) - 1;
    this.#changed(index);
    this.index.add(entry, index, ownKey);
    return index;
  }

  replace(index: number, entry: ConversationEntry): void {
    const before = this.#entries[index];
    this.#changed(index);
    this.#unchanged = Math.min(this.#unchanged, index);
    this.#firstUnfinished = Math.min(this.#firstUnfinished, index);
    this.#entries[index] = entry;
    this.index.replace(before, entry, index);
  }

  /** Removes the entries with these keys, and returns them. */
  removeKeys(keys: ReadonlySet<string>): readonly ConversationEntry[] {
    const removed = this.#entries.filter(({ key }) => keys.has(key));
    if (removed.length === 0) return removed;
    this.#freezeAll();
    this.#unchanged = 0;
    this.#firstUnfinished = 0;
    this.#entries = this.#entries.filter(({ key }) => !keys.has(key));
    this.index.clear();
    this.#indexAll();
    return removed;
  }

  /**
   * Indexes of the tool calls that have not ended, oldest first. Takes time for the entries since the first unfinished
   * one, so that the end of a turn costs the same in a long session.
   */
  unfinishedToolCalls(): readonly number[] {
    const unfinished: number[] = [];
    for (let index = this.#firstUnfinished; index < this.length; index++) {
      const entry = this.#entries[index];
      if (entry?.kind === 'toolCall' && !isToolCallFinished(entry.status)) unfinished.push(index);
    }
    this.#firstUnfinished = unfinished[0] ?? this.length;
    return unfinished;
  }

  /** A frozen copy of the entries. The same array until an entry changes. */
  snapshot(): Conversation['entries'] {
    if (this.#snapshot) return this.#snapshot;
    this.#freezeAll();
    this.#snapshot = Object.freeze(this.#entries.slice());
    this.#version = recordVersion(this.#snapshot, this.#version, this.#unchanged);
    this.#unchanged = this.length;
    this.#snapshotLength = this.length;
    return this.#snapshot;
  }

  #changed(index: number): void {
    this.#snapshot = undefined;
    if (index === this.#unfrozen) return;
    const entry = this.#entries[this.#unfrozen];
    if (entry && 'meta' in entry && this.#metas.isOpen(entry.meta)) this.#withOpenMeta.add(this.#unfrozen);
    else freeze(entry);
    this.#unfrozen = index;
  }

  #freezeAll(): void {
    this.#changed(-1);
    for (const index of this.#withOpenMeta) freeze(this.#entries[index]);
    this.#withOpenMeta.clear();
  }

  #indexAll(): void {
    this.#entries.forEach((entry, index) => {
      this.index.add(entry, index);
    });
  }
}
