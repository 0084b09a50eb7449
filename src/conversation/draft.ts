import type { ContentBlock } from '../model/content.ts';
import type { Conversation, Entry, Origin, Terminal } from '../model/conversation.ts';
import type { ToolCallContent } from '../model/tool-call.ts';
import { EntryList } from './entry-list.ts';
import { equal, freeze } from './equal.ts';
import { TerminalList } from './terminal-list.ts';
import { TextRun } from './text-run.ts';

type Fields = Omit<Conversation, 'entries' | 'terminals'>;
type Block = ContentBlock | ToolCallContent;

/**
 * A conversation in the making: what the transitions write to. It is changed in place, and hands out immutable
 * conversations; each of those stays as it was, and shares with the others whatever is the same.
 *
 * Chunks wait beside the entry they belong to and are put in at once when somebody looks, so that a message of
 * 100,000 chunks costs 100,000 string appends and not 100,000 copies.
 */
export class Draft {
  readonly entries: EntryList;
  readonly #terminals: TerminalList;
  readonly #fields: { -readonly [K in keyof Fields]: Fields[K] };
  /** What was handed out last. */
  #latest: Conversation;
  /** Whether entries or terminals have changed since. */
  #grew = false;
  /** The fields that were set since, be it to what they said before. */
  readonly #written = new Set<keyof Fields>();
  #openPlace = -1;
  #open: Entry | undefined;
  /** Blocks for the open entry, and behind them the text that more text may join. */
  #waiting: Block[] = [];
  readonly #text = new TextRun();
  /** Whether the first waiting text goes on from the entry's last block. */
  #joins = false;
  #origin: Origin = 'live';

  constructor(conversation: Conversation) {
    const { entries, terminals, ...fields } = conversation;
    this.entries = new EntryList(entries);
    this.#terminals = new TerminalList(terminals);
    this.#fields = fields;
    this.#latest = conversation;
  }

  get fields(): Fields {
    return this.#fields;
  }

  /** Where entries that begin now come from. */
  get origin(): Origin {
    return this.#origin;
  }

  set origin(origin: Origin) {
    this.#origin = origin;
  }

  /** The conversation as it is now. The same object as last time if nothing changed in between. */
  snapshot(): Conversation {
    this.#settle();
    const news = [...this.#written].filter((field) => !this.#keep(field));
    if (this.#grew || news.length > 0) {
      // Frozen here and not where they are set: of the usage of a replay, say, only the last is ever seen.
      const { sessionId, ...fields } = freeze({ ...this.#fields });
      const entries = this.entries.share();
      const terminals = this.#terminals.share();
      this.#latest = Object.freeze({
        sessionId,
        get entries() {
          return entries();
        },
        get terminals() {
          return terminals();
        },
        ...fields,
      });
    }
    this.#grew = false;
    this.#written.clear();
    return this.#latest;
  }

  /** Whether `conversation` is what this draft handed out last, and nothing was written since. */
  continues(conversation: Conversation): boolean {
    return this.#latest === conversation && !this.#grew && this.#written.size === 0;
  }

  /** Sets a field. Whether that says anything new is seen when somebody looks. */
  set<K extends keyof Fields>(field: K, value: Fields[K]): void {
    this.#fields[field] = value;
    this.#written.add(field);
  }

  terminal(terminalId: string): Terminal | undefined {
    return this.#terminals.find(terminalId);
  }

  hasTerminal(terminalId: string): boolean {
    return this.#terminals.has(terminalId);
  }

  putTerminal(terminal: Terminal): void {
    if (this.#terminals.put(terminal)) this.#grew = true;
  }

  /** More bytes of a terminal that is there. */
  print(terminalId: string, bytes: string): void {
    if (bytes === '') return;
    this.#terminals.print(terminalId, bytes);
    this.#grew = true;
  }

  entry(place: number): Entry | undefined {
    if (place === this.#openPlace) this.#settle();
    return this.entries.at(place);
  }

  lastEntry(): Entry | undefined {
    // What waits belongs to an entry and never changes who it is, so it may go on waiting.
    return this.entries.at(this.entries.length - 1);
  }

  append(entry: Entry): number {
    this.#grew = true;
    return this.entries.append(entry);
  }

  replace(place: number, entry: Entry): void {
    if (place === this.#openPlace) this.#settle();
    if (equal(this.entries.at(place), entry)) return;
    this.#grew = true;
    this.entries.replace(place, entry);
  }

  remove(place: number): void {
    this.#settle();
    this.#grew = true;
    this.entries.remove(place);
  }

  /** Puts one more block at the end of an entry. Plain text joins a last block of plain text. */
  appendBlock(place: number, block: Block): void {
    if (place !== this.#openPlace && !this.#openAt(place)) return;
    if (!isPlainText(block)) {
      this.#endText();
      this.#waiting.push(block);
    } else if (this.#text.began) {
      if (block.text === '') return;
      this.#text.push(block.text);
    } else {
      const last = this.#waiting.length === 0 ? blocksOf(this.#open).at(-1) : undefined;
      const joins = last !== undefined && isPlainText(last);
      if (joins && block.text === '') return;
      if (joins) this.#joins = true;
      this.#text.push(block.text);
    }
    this.#grew = true;
  }

  /** Takes back the object of before for a field that says the same. Returns whether it does. */
  #keep<K extends keyof Fields>(field: K): boolean {
    if (!equal(this.#latest[field], this.#fields[field])) return false;
    this.#fields[field] = this.#latest[field];
    return true;
  }

  #openAt(place: number): boolean {
    this.#settle();
    const entry = this.entries.at(place);
    if (!entry || entry.kind === 'unknown') return false;
    this.#openPlace = place;
    this.#open = entry;
    return true;
  }

  #endText(): void {
    if (this.#text.began) this.#waiting.push({ type: 'text', text: this.#text.take() });
  }

  #settle(): void {
    const entry = this.#open;
    if (!entry) return;
    this.#endText();
    const place = this.#openPlace;
    const waiting = this.#waiting;
    const joins = this.#joins;
    this.#open = undefined;
    this.#openPlace = -1;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#joins = false;
    const blocks = [...blocksOf(entry)];
    if (joins) {
      const last = blocks.pop() as Text;
      const first = waiting.shift() as Text;
      blocks.push({ type: 'text', text: last.text + first.text });
    }
    for (const block of waiting) blocks.push(block);
    this.entries.replace(place, withBlocks(entry, blocks));
  }
}

type Text = { readonly type: 'text'; readonly text: string };

/** Text that says nothing but its text, so that its neighbour of the same kind may take it in. */
function isPlainText(block: Block): block is Text {
  if (block.type !== 'text') return false;
  for (const key in block) {
    if (key !== 'type' && key !== 'text' && block[key as keyof typeof block] != null) return false;
  }
  return true;
}

function blocksOf(entry: Entry | undefined): readonly Block[] {
  if (!entry || entry.kind === 'unknown') return [];
  return entry.kind === 'compaction' ? entry.summary : entry.content;
}

function withBlocks(entry: Entry, blocks: Block[]): Entry {
  // A message holds content blocks and a tool call holds tool call content: each only ever gets its own.
  return (
    entry.kind === 'compaction' ? { ...entry, summary: blocks } : { ...entry, content: blocks }
  ) as Entry;
}
