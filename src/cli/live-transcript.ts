import { isFinished } from '../conversation/tool-calls.ts';
import type { Conversation, Entry, MessageEntry, ToolCallEntry } from '../model/conversation.ts';
import { cleanLine } from '../render/clean.ts';
import { renderText } from '../render/text.ts';
import type { Surroundings } from './ask-user.ts';
import { FlowingText } from './flowing-text.ts';
import type { Output } from './output.ts';
import { sectionText } from './section-text.ts';

const defaultWidth = 80;

/** What a terminal's "select graphic rendition" takes. */
const bold = '1';
const faint = '2';

/**
 * A transcript on a terminal, written as it grows. What is written stays: a message grows at its end, a tool call
 * is shown when it begins, and in full when it has ended.
 */
export class LiveTranscript implements Surroundings {
  readonly #write: (text: string) => void;
  readonly #options: { readonly color: boolean; readonly width: number };
  readonly #seen = new Map<string, Entry>();
  /** What was written of each text, by the key of its message and its place in it. */
  readonly #texts = new Map<string, FlowingText>();
  /** The text that is being written, while nothing else was. */
  #open: FlowingText | undefined;
  #latest: Conversation | undefined;
  #pauses = 0;

  constructor(
    { color, width = defaultWidth }: Pick<Output, 'color' | 'width'>,
    write: (text: string) => void,
  ) {
    this.#write = write;
    this.#options = { color, width };
  }

  /** Writes what is new. */
  show(conversation: Conversation): void {
    this.#latest = conversation;
    if (this.#pauses > 0) return;
    for (const entry of conversation.entries) {
      const before = this.#seen.get(entry.key);
      if (before === entry) continue;
      this.#seen.set(entry.key, entry);
      if (entry.kind === 'message') this.#message(conversation, entry, before);
      else if (entry.kind === 'unknown') this.#section(conversation, entry);
      else if (isFinished(entry.status)) {
        if (!before || !hasEnded(before)) this.#section(conversation, entry);
      } else if (entry.kind === 'toolCall' && !before) this.#announce(entry);
    }
  }

  /** Writes what is left, and how it ended. */
  finish(conversation: Conversation): void {
    this.show(conversation);
    for (const entry of conversation.entries) if (!hasEnded(entry)) this.#section(conversation, entry);
    this.#endText();
    this.#write(renderText({ ...conversation, entries: [] }, this.#options));
  }

  pause(): void {
    this.#endText();
    this.#pauses++;
  }

  resume(): void {
    this.#pauses--;
    if (this.#latest) this.show(this.#latest);
  }

  #message(conversation: Conversation, entry: MessageEntry, before: Entry | undefined): void {
    // The user has just typed it.
    if (entry.role === 'user') return;
    const blocksBefore = before?.kind === 'message' ? before.content : [];
    for (const [at, block] of entry.content.entries()) {
      if (block === blocksBefore[at]) continue;
      if (block.type === 'text') this.#text(entry, at, block.text);
      else this.#section(conversation, { ...entry, content: [block] });
    }
  }

  #text({ key, role }: MessageEntry, at: number, text: string): void {
    const place = `${key} ${at}`;
    let flowing = this.#texts.get(place);
    if (text.trim() === '' || flowing?.is(text)) return;
    if (!flowing?.growsTo(text)) {
      // A new text, or the agent says something else in the place of what it said.
      const paint = (piece: string) => (role === 'thought' ? this.#paint(faint, piece) : piece);
      flowing = new FlowingText(this.#write, paint, this.#options.width);
      this.#texts.set(place, flowing);
    }
    if (this.#open !== flowing) {
      this.#endText();
      this.#write(`${this.#paint(bold, role === 'thought' ? 'Thought' : 'Agent')}\n`);
      this.#open = flowing;
    }
    flowing.grow(text);
  }

  #announce({ title, name }: ToolCallEntry): void {
    this.#endText();
    this.#write(`${this.#paint(bold, `○ ${cleanLine(title ?? name ?? 'Tool call')}`)}\n\n`);
  }

  #section(conversation: Conversation, entry: Entry): void {
    this.#endText();
    this.#write(`${sectionText(conversation, entry, this.#options)}\n\n`);
  }

  /** Ends the text that is being written. If it goes on, it does so under a heading of its own. */
  #endText(): void {
    this.#open?.flush();
    if (this.#open) this.#write('\n');
    this.#open = undefined;
  }

  #paint(sgr: string, text: string): string {
    return this.#options.color ? `\x1b[${sgr}m${text}\x1b[0m` : text;
  }
}

function hasEnded(entry: Entry): boolean {
  return entry.kind === 'message' || entry.kind === 'unknown' || isFinished(entry.status);
}
