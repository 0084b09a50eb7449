import { unchangedStart } from '../../conversation/list-versions.ts';
import { isToolCallFinished } from '../../conversation/tool-call-status.ts';
import type {
  Conversation,
  ConversationEntry,
  MessageEntry,
  SessionMessageEntry,
} from '../../model/conversation.ts';
import { isShown } from '../../render/outline.ts';
import { renderEntryText, renderText } from '../../render/text.ts';
import { GrowingText } from './growing-text.ts';
import type { Output } from './print.ts';
import { renderHeading, renderPlans } from './print-conversation.ts';
import { beginOfRest, sameWords } from './rewrap.ts';

/** Text that is written, and the width that it was written for. */
interface Written {
  readonly text: string;
  readonly width: number;
}

/** The text of an entry; of a message, that after what is settled. */
interface Shown {
  readonly key: string;
  readonly text: string;
  readonly message?: GrowingText | undefined;
}

/** How much of a line is written again when other output has interrupted it, in characters. */
const maxRepeated = 2000;

/**
 * Writes a transcript while it grows: a message word by word, a tool call once when it has finished.
 */
export class LiveTranscript {
  readonly #output: Pick<Output, 'color' | 'width' | 'result'>;
  readonly #seen = new Map<string, ConversationEntry>();
  /** What is written of an entry, by its key; of a message, that after what is settled. */
  readonly #texts = new Map<string, Written>();
  /** The messages, by their key. */
  readonly #messages = new Map<string, GrowingText>();
  /** The tool calls that a question has shown in full, by their key. */
  readonly #asked = new Set<string>();
  /** The entry at the end of the output. */
  #last: Shown | undefined;
  #latest: Conversation | undefined;
  /** The entries that were looked through last. */
  #looked: Conversation['entries'] = [];
  /** The plans that are written. */
  #plans: Conversation['plans'] = [];
  /** The key of the entry that was written when the user cancelled the turn. */
  #cancelled: string | undefined;
  #isPaused = false;
  #isLineOpen = false;
  #written = Promise.resolve();

  constructor(output: Pick<Output, 'color' | 'width' | 'result'>) {
    this.#output = output;
  }

  /** The user can change the width at any time. */
  get #options(): { readonly color: boolean; readonly width: number } {
    const { color, width = Number.POSITIVE_INFINITY } = this.#output;
    return { color, width };
  }

  /** Whether the cursor is behind text that continues. */
  get isLineOpen(): boolean {
    return this.#isLineOpen;
  }

  /** The title of the tool call that runs now. */
  get runningTool(): string | undefined {
    const running = this.#latest?.entries.findLast(
      (entry) => entry.kind === 'toolCall' && !isComplete(entry),
    );
    return running?.kind === 'toolCall' ? (running.title ?? running.name ?? undefined) : undefined;
  }

  /** Writes what is new. */
  show(conversation: Conversation): void {
    this.#latest = conversation;
    if (this.#isPaused) return;
    const { entries } = conversation;
    // A session can have thousands of entries, and changes as often.
    for (let index = unchangedStart(this.#looked, entries); index < entries.length; index++) {
      const entry = entries[index];
      if (entry) this.#showEntry(conversation, entry);
    }
    this.#looked = entries;
  }

  #showEntry(conversation: Conversation, entry: ConversationEntry): void {
    const before = this.#seen.get(entry.key);
    if (before === entry) return;
    // The agent has only announced it.
    if (!isShown(entry) && !before) return;
    this.#seen.set(entry.key, entry);
    // The user has just typed the prompt.
    if (entry.kind === 'message' && entry.role === 'user') return;
    if (entry.kind === 'message' || entry.kind === 'sessionMessage') this.#grow(conversation, entry);
    else if (!isComplete(entry)) this.#end();
    else if (!before || !isComplete(before)) this.#putWhole(conversation, entry);
  }

  /** A question has shown a tool call with its diff. When it has finished, one line says so. */
  asked({ key }: Pick<ConversationEntry, 'key'>): void {
    this.#asked.add(key);
  }

  /** Another conversation follows, whose entries can have the same keys. */
  startOver(): void {
    this.#end();
    for (const written of [this.#seen, this.#texts, this.#messages, this.#asked]) written.clear();
    this.#latest = undefined;
    this.#looked = [];
    this.#plans = [];
  }

  /** Counts a conversation as written. */
  skip(conversation: Conversation): void {
    this.#latest = conversation;
    this.#plans = conversation.plans;
    for (const entry of conversation.entries) {
      this.#seen.set(entry.key, entry);
      if (isComplete(entry)) continue;
      const text = renderEntryText(conversation, entry, this.#options);
      this.#texts.set(entry.key, { text, width: this.#options.width });
    }
  }

  /** Writes the incomplete entries, and the plans if they have changed. Resolves when everything is written. */
  async finishTurn(conversation: Conversation): Promise<void> {
    this.#finishEntries(conversation);
    const plans = conversation.plans === this.#plans ? '' : renderPlans(conversation, this.#options);
    if (plans !== '') this.#write(`${plans}\n\n`);
    this.#plans = conversation.plans;
    await this.#written;
  }

  /** Writes the incomplete entries, and last the session and its plans. Resolves when everything is written. */
  async finish(conversation: Conversation): Promise<void> {
    this.#finishEntries(conversation);
    this.#write(renderText({ ...conversation, entries: [] }, this.#options));
    await this.#written;
  }

  #finishEntries(conversation: Conversation): void {
    this.show(conversation);
    for (const entry of conversation.entries) {
      if (!isComplete(entry)) this.#putWhole(conversation, entry);
    }
    for (const [key, message] of this.#messages) {
      if (!message.isBehind) continue;
      message.update();
      this.#putMessage(key, message);
    }
    this.#end();
  }

  /**
   * Ends the entry that is written: the user cancelled the turn. What still comes of it follows without its last line,
   * which the user has just read. Returns whether there was an entry.
   */
  cancel(): boolean {
    const open = this.#last;
    this.#cancelled = open?.key;
    this.#end();
    return open !== undefined;
  }

  pause(): void {
    this.#end();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#latest) this.show(this.#latest);
  }

  /** Writes the whole words of a message. */
  #grow(conversation: Conversation, entry: MessageEntry | SessionMessageEntry): void {
    const known = this.#messages.get(entry.key);
    const isSame = known?.options.width === this.#options.width && known.grow(conversation, entry);
    if (known && !isSame) this.#unsettle(entry.key, known);
    const message = isSame ? known : new GrowingText(conversation, entry, this.#options);
    this.#messages.set(entry.key, message);
    if (message.isBehind) return;
    const { text, isContinued, heading } = message;
    // The first line is the heading.
    if (!isContinued && text === heading) return;
    const lastLine = text.lastIndexOf('\n') + 1;
    // The end of a color moves with the end of its line.
    const isColored = text.includes('\x1b', lastLine);
    const end = isColored ? lastLine - 1 : endOfWords(text);
    this.#putMessage(entry.key, message, isContinued ? end : Math.max(end, heading.length + 1));
  }

  #putMessage(key: string, message: GrowingText, ready?: number): void {
    this.#put({ key, text: message.text, message }, ready);
    const written = this.#texts.get(key);
    if (written?.width !== message.options.width) return;
    const settled = message.settle(written.text.length);
    this.#texts.set(key, { ...written, text: written.text.slice(settled) });
    if (this.#last?.message === message) this.#last = { key, text: message.text, message };
  }

  /** What is written of a message has to be compared with another text of it. */
  #unsettle(key: string, message: GrowingText): string {
    const start = message.unsettle();
    const written = this.#texts.get(key);
    if (written) this.#texts.set(key, { ...written, text: start + written.text });
    if (this.#last?.message === message) this.#last = { ...this.#last, text: start + this.#last.text };
    return start;
  }

  #putWhole(conversation: Conversation, entry: ConversationEntry): void {
    const isShown = this.#asked.has(entry.key) && isComplete(entry);
    const render = isShown ? renderHeading : renderEntryText;
    this.#put({ key: entry.key, text: render(conversation, entry, this.#options) });
    if (this.#last?.key === entry.key) this.#closeLine();
  }

  /**
   * Writes the text of an entry that is not written yet.
   *
   * @param ready - How much can be written now. The rest follows when the entry ends.
   */
  #put(shown: Shown, ready = shown.text.length): void {
    const { key, text, message } = shown;
    const { width } = this.#options;
    const before = this.#texts.get(key) ?? { text: '', width };
    const isRewrapped = before.width !== width;
    if (isRewrapped && message?.isContinued) {
      const start = this.#unsettle(key, message);
      return this.#put({ ...shown, text: start + text }, start.length + ready);
    }
    const written = isRewrapped ? sameWords(text, before.text) : before.text;
    if (this.#last?.key === key && text.startsWith(written)) {
      this.#last = shown;
      const end = Math.max(ready, written.length);
      if (end === written.length) return;
      const begin = isRewrapped ? beginOfRest(text, written.length) : undefined;
      if (begin !== undefined) {
        this.#closeLine();
        this.#write(begin);
      }
      this.#write(text.slice(written.length, end));
      this.#texts.set(key, { text: text.slice(0, end), width });
      return;
    }
    if (text === written) return;
    // After changes of the width, what is written can be something else than the text that is shown last.
    if (this.#last?.key === key && this.#last.text === text) this.#endLine();
    else this.#end();
    const start = startOfNew(written, text);
    const from = text.startsWith(written) ? this.#startOfRest(key, text, start, written.length) : start;
    if (message?.isContinued) this.#write(`${message.heading}\n`);
    else if (start > 0) this.#write(`${text.slice(0, text.indexOf('\n'))}\n`);
    if (from > start) this.#write(`${beginOfRest(text, from) ?? ''}… `);
    const end = Math.max(ready, from);
    this.#write(text.slice(from, end));
    this.#texts.set(key, { text: text.slice(0, end), width });
    this.#last = shown;
  }

  /** Where the text goes on: with the line that became longer, or without what is written of it. */
  #startOfRest(key: string, text: string, start: number, written: number): number {
    if (key !== this.#cancelled) return startOfRepeated(text, start, written);
    return Math.max(start, written + text.slice(written).search(/[^ ]|$/));
  }

  /** Writes the rest of the last entry, and an empty line. */
  #end(): void {
    if (!this.#last) return;
    const { key, message } = this.#last;
    if (message?.end()) {
      // The rest of what was shown comes first, as without the wait.
      if (!message.text.startsWith(this.#texts.get(key)?.text ?? '')) this.#close(this.#last);
      this.#putMessage(key, message);
    }
    if (this.#last) this.#close(this.#last);
  }

  #close(last: Shown): void {
    this.#put(last);
    this.#endLine();
  }

  #endLine(): void {
    this.#closeLine();
    this.#write('\n');
    this.#last = undefined;
  }

  #closeLine(): void {
    if (this.#isLineOpen) this.#write('\n');
  }

  #write(text: string): void {
    if (text === '') return;
    this.#isLineOpen = !text.endsWith('\n');
    this.#written = this.#output.result(text);
    // `finish` throws the error of the last write.
    this.#written.catch(() => {});
  }
}

/** The end of the last whole word. What follows can still become longer and move to the next line. */
function endOfWords(text: string): number {
  const isSpaceBefore = (end: number) => /\s/.test(text.charAt(end - 1));
  let end = text.length;
  while (end > 0 && !isSpaceBefore(end)) end--;
  while (end > 0 && isSpaceBefore(end)) end--;
  return end;
}

/** Where the lines begin that are not written: a line that became longer is written again. */
function startOfNew(written: string, text: string): number {
  const before = written.split('\n');
  let at = 0;
  for (const [index, line] of text.split('\n').entries()) {
    if (line !== before[index]) break;
    at += line.length + 1;
  }
  return Math.min(at, text.length);
}

/** Where the repeated part begins of a line that became longer: not at its start if it is very long. */
function startOfRepeated(text: string, start: number, written: number): number {
  if (written - start <= 2 * maxRepeated) return start;
  const from = written - maxRepeated;
  const isLowSurrogate = /[\udc00-\udfff]/.test(text.charAt(from));
  return isLowSurrogate ? from - 1 : from;
}

function isComplete(entry: ConversationEntry): boolean {
  return 'status' in entry ? isToolCallFinished(entry.status) : true;
}
