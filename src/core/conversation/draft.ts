import type { JsonObject } from '../base/json.ts';
import type {
  Conversation,
  ConversationEntry,
  ConversationTerminal,
  EntryOrigin,
} from '../model/conversation.ts';
import { isToolCallFinished } from '../model/tool-call.ts';
import { terminalIdsOf } from './entry-index.ts';
import { EntryList } from './entry-list.ts';
import { equal, freeze } from './equal.ts';
import { isRecorded, recordGrowth } from './growth.ts';
import { recordContinuation } from './list-versions.ts';
import { equalMeta, MetaDraft, patchMeta } from './meta.ts';
import { wholeOutput, withOutput } from './output-tail.ts';
import { currentConversation } from './saved.ts';
import { TerminalList } from './terminal-list.ts';
import {
  type Block,
  blocksOf,
  isPlainText,
  type PlainText,
  withBlocks,
  withJoinedTexts,
} from './text-blocks.ts';
import { TextBuffer } from './text-buffer.ts';

/** What is not part of the transcript. */
export type Fields = Omit<Conversation, 'entries' | 'terminals'>;

/** The fields that an update carries, of those with these names. What it omits keeps its value. */
export function carried<T extends object, K extends keyof T>(update: T, names: readonly K[]) {
  const fields: Partial<T> = {};
  for (const name of names) if (update[name] !== undefined) fields[name] = update[name];
  // No value is `undefined`.
  return fields as { readonly [N in K]?: Exclude<T[N], undefined> };
}

/** Takes the changes of a draft, in order. It must not change the draft. */
export interface ConversationObserver {
  entryAdded(entry: ConversationEntry): void;
  /** The replacement is of the same kind. */
  entryReplaced(before: ConversationEntry | undefined, after: ConversationEntry): void;
  entryRemoved(entry: ConversationEntry | undefined): void;
  /** @param entry - Without the blocks that are still collected. */
  blockAppended(entry: ConversationEntry | undefined, block: Block): void;
  fieldSet<K extends keyof Fields>(field: K, before: Fields[K], after: Fields[K]): void;
  terminalPut(terminal: ConversationTerminal): void;
  outputAppended(terminalId: string, text: string): void;
  /** Another conversation takes the place of the one so far. */
  reset(conversation: Conversation): void;
}

/**
 * A mutable conversation that the transitions write to. Its snapshots are immutable and share everything that did not
 * change between them.
 *
 * Chunks are collected beside the entry they belong to until that entry is read. A message of 100,000 chunks costs
 * 100,000 string appends instead of 100,000 copies.
 */
export class Draft {
  readonly entries: EntryList;
  readonly terminals: TerminalList;
  /** The origin of new entries. */
  origin: EntryOrigin = 'live';
  /** Takes what changes, in order. Absent where nothing follows the changes: then they cost nothing. */
  observer: ConversationObserver | undefined;
  readonly #metas = new MetaDraft();
  readonly #fields: { -readonly [K in keyof Fields]: Fields[K] };
  #latest: Conversation;
  /** Whether entries or terminals changed since the latest snapshot. */
  #changed = false;
  /** The fields that were set since the latest snapshot, including those set to an equal value. */
  readonly #written = new Set<keyof Fields>();
  /** The entry that collects blocks, and its index. */
  #open: ConversationEntry | undefined;
  #openIndex = -1;
  /** Whether a snapshot may contain the open entry without the collected blocks. */
  #isOpenInSnapshot = false;
  /** Collected blocks. The collected text follows them. */
  #blocks: Block[] = [];
  readonly #text = new TextBuffer();
  /** Whether the first collected text extends the last block of the open entry. */
  #extendsLast = false;

  constructor(conversation: Conversation) {
    this.#latest = currentConversation(conversation);
    const { entries, terminals, ...fields } = this.#latest;
    this.entries = new EntryList(entries, this.#metas);
    this.terminals = new TerminalList(terminals, this.#metas);
    this.#fields = fields;
  }

  get fields(): Fields {
    return this.#fields;
  }

  /** The conversation as it is now. The same object until something changes. */
  snapshot(): Conversation {
    this.#flush();
    this.#metas.close();
    const changedFields = [...this.#written].filter((field) => !this.#restoreIfEqual(field));
    if (this.#changed || changedFields.length > 0) {
      // Fields are frozen here and not in `set`: most values of a replay are replaced before a snapshot.
      const { sessionId, pendingMessages = [], ...fields } = freeze({ ...this.#fields });
      this.#latest = Object.freeze({
        sessionId,
        entries: this.entries.snapshot(),
        terminals: this.terminals.snapshot(),
        ...fields,
        ...(pendingMessages.length > 0 && { pendingMessages }),
      });
    }
    this.#changed = false;
    this.#written.clear();
    return this.#latest;
  }

  /** Whether `conversation` is the latest snapshot and nothing was written since. */
  continues(conversation: Conversation): boolean {
    return this.#latest === conversation && !this.#changed && this.#written.size === 0;
  }

  /** Sets a field. The next snapshot keeps the object of the previous one if both are equal. */
  set<K extends keyof Fields>(field: K, value: Fields[K]): void {
    this.observer?.fieldSet(field, this.#fields[field], value);
    this.#fields[field] = value;
    this.#written.add(field);
  }

  /**
   * Applies a metadata patch. What follows the changes gets the metadata as it was and as it is, so then it is copied.
   */
  patchMeta(current: JsonObject | null, patch: unknown): JsonObject | null {
    if (patch === undefined) return current;
    return this.observer ? patchMeta(current, patch) : this.#metas.patch(current, patch);
  }

  /** Drops output of commands of the client that have ended, the oldest first, until the rest is within the limit. */
  dropOldOutput(): void {
    for (const terminal of this.terminals.beyondLimit()) {
      const droppedBytes = terminal.droppedBytes + this.terminals.bytesOf(terminal);
      this.putTerminal(withOutput(terminal, wholeOutput('', droppedBytes)));
    }
  }

  putTerminal(terminal: ConversationTerminal): void {
    const isNew = this.terminals.ownerOf(terminal.terminalId) === undefined;
    if (!this.terminals.put(terminal)) return;
    this.#changed = true;
    this.observer?.terminalPut(terminal);
    // A replayed call has ended before its terminal comes.
    const call = isNew ? this.entries.index.findId('tool', terminal.terminalId) : undefined;
    if (call !== undefined) this.#endTerminals(undefined, this.entry(call));
  }

  /** Ends the terminals of the agent that only calls show which have ended: some agents never say how a command ended. */
  #endTerminals(before: ConversationEntry | undefined, entry: ConversationEntry | undefined): void {
    if (!hasEnded(entry) || hasEnded(before)) return;
    for (const terminalId of terminalIdsOf(entry)) {
      const terminal = this.terminals.get(terminalId);
      if (terminal?.owner !== 'agent' || terminal.exitStatus) continue;
      const unfinished = this.entries.unfinishedToolCalls().map((index) => this.entry(index));
      if (unfinished.some((each) => terminalIdsOf(each).includes(terminalId))) continue;
      this.putTerminal({ ...terminal, exitStatus: { exitCode: null, signal: null } });
    }
  }

  /** Appends output to a known terminal, as UTF-8. */
  appendBytes(terminalId: string, bytes: Uint8Array): void {
    if (bytes.length > 0)
      this.#outputAppended(terminalId, this.terminals.tailOf(terminalId)?.pushBytes(bytes));
  }

  /** Appends output to a known terminal. */
  appendText(terminalId: string, text: string): void {
    if (text === '') return;
    this.terminals.tailOf(terminalId)?.pushText(text);
    this.#outputAppended(terminalId, text);
  }

  #outputAppended(terminalId: string, text = ''): void {
    this.#changed = true;
    if (text !== '') this.observer?.outputAppended(terminalId, text);
  }

  entry(index: number): ConversationEntry | undefined {
    if (index === this.#openIndex) this.#flush();
    return this.entries.at(index);
  }

  /** Adds an entry at the end. Returns its index. */
  append(whole: ConversationEntry): number {
    const entry = withJoinedTexts(whole);
    this.#changed = true;
    const index = this.entries.append(entry);
    this.observer?.entryAdded(entry);
    this.#endTerminals(undefined, entry);
    return index;
  }

  /** Replaces an entry, unless the new one is equal. */
  replace(index: number, entry: ConversationEntry): void {
    if (!equal(this.entry(index), entry)) this.put(index, entry);
  }

  /** Replaces an entry by one that is known to differ. The comparison is a large part of the cost of a replacement. */
  put(index: number, entry: ConversationEntry): void {
    const before = this.entry(index);
    this.#changed = true;
    this.entries.replace(index, entry);
    this.observer?.entryReplaced(before, entry);
    this.#endTerminals(before, entry);
  }

  /** Removes the entries with these keys. */
  removeKeys(keys: ReadonlySet<string>): void {
    this.#flush();
    for (const removed of this.entries.removeKeys(keys)) {
      this.#changed = true;
      this.observer?.entryRemoved(removed);
    }
  }

  /** Appends a block to the content of an entry. Plain text extends a last block of plain text. */
  appendBlock(index: number, block: Block): void {
    if (index !== this.#openIndex && !this.#openAt(index)) return;
    if (!isPlainText(block)) {
      this.#flushText();
      this.#blocks.push(block);
    } else if (this.#text.started) {
      if (block.text === '') return;
      this.#text.push(block.text);
    } else {
      const last = this.#blocks.length === 0 ? blocksOf(this.#open).at(-1) : undefined;
      const extendsLast = last !== undefined && isPlainText(last);
      if (extendsLast && block.text === '') return;
      if (extendsLast) this.#extendsLast = true;
      this.#text.push(block.text);
    }
    this.#changed = true;
    this.observer?.blockAppended(this.#open, block);
  }

  /** Restores the value of the latest snapshot if it is equal. Returns whether it is. */
  #restoreIfEqual<K extends keyof Fields>(field: K): boolean {
    const isEqual =
      field === 'meta'
        ? equalMeta(this.#latest.meta, this.#fields.meta)
        : equal(this.#latest[field], this.#fields[field]);
    if (!isEqual) return false;
    this.#fields[field] = this.#latest[field];
    return true;
  }

  #openAt(index: number): boolean {
    const isInSnapshot = this.entries.mayBeInSnapshot(index);
    this.#flush();
    const entry = this.entries.at(index);
    if (!entry || entry.kind === 'unknown' || entry.kind === 'turnFailure') return false;
    this.#openIndex = index;
    this.#open = entry;
    this.#isOpenInSnapshot = isInSnapshot;
    return true;
  }

  #flushText(): void {
    if (this.#text.started) this.#blocks.push({ type: 'text', text: this.#text.take() });
  }

  /** Moves the collected blocks into the open entry and closes it. */
  #flush(): void {
    const entry = this.#open;
    if (!entry) return;
    this.#flushText();
    const index = this.#openIndex;
    const collected = this.#blocks;
    const extendsLast = this.#extendsLast;
    this.#open = undefined;
    this.#openIndex = -1;
    if (collected.length === 0) return;
    this.#blocks = [];
    this.#extendsLast = false;
    const before = blocksOf(entry);
    const blocks = [...before];
    if (extendsLast) {
      // `appendBlock` sets the flag only if both are plain text.
      const last = blocks.pop() as PlainText;
      const first = collected.shift() as PlainText;
      const grown: PlainText = { type: 'text', text: last.text + first.text };
      // A text that is in no snapshot is never compared. A record would keep its pieces in memory.
      if (this.#isOpenInSnapshot || isRecorded(last)) recordGrowth(last, grown, last.text.length, first.text);
      blocks.push(grown);
    }
    for (const block of collected) blocks.push(block);
    // A list that was left for another entry is frozen with its blocks: to look at each again would be quadratic.
    if (Object.isFrozen(before)) {
      const unchanged = before.length - (extendsLast ? 1 : 0);
      for (let at = unchanged; at < blocks.length; at++) freeze(blocks[at]);
      Object.freeze(blocks);
      if (this.#isOpenInSnapshot) recordContinuation(before, blocks, unchanged);
    }
    this.entries.replace(index, withBlocks(entry, blocks));
  }
}

function hasEnded(entry: ConversationEntry | undefined): boolean {
  return entry?.kind === 'toolCall' && isToolCallFinished(entry.status);
}
