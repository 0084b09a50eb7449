import { isToolCallFinished } from '../conversation/tool-call-status.ts';
import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { renderText } from '../render/text.ts';
import type { Output } from './print.ts';
import { renderEntry, renderHeading, renderPlans } from './print-conversation.ts';
import { beginOfRest, sameWords } from './rewrap.ts';

/**
 * Writes a transcript while it grows: a message word by word, a tool call once when it has finished.
 */
export class LiveTranscript {
  readonly #output: Pick<Output, 'color' | 'width' | 'result'>;
  readonly #seen = new Map<string, ConversationEntry>();
  /** The text that is written, by the key of the entry, and the width that it was written for. */
  readonly #texts = new Map<string, { readonly text: string; readonly width: number }>();
  /** The tool calls that a question has shown in full, by their key. */
  readonly #asked = new Set<string>();
  /** The entry at the end of the output, and its whole text. */
  #last: { readonly key: string; readonly text: string } | undefined;
  #latest: Conversation | undefined;
  /** The plans that are written. */
  #plans: Conversation['plans'] = [];
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
    for (const entry of conversation.entries) {
      const before = this.#seen.get(entry.key);
      if (before === entry) continue;
      this.#seen.set(entry.key, entry);
      // The user has just typed the prompt.
      if (entry.kind === 'message' && entry.role === 'user') continue;
      if (entry.kind === 'message' || entry.kind === 'sessionMessage') this.#grow(conversation, entry);
      else if (!isComplete(entry)) this.#end();
      else if (!before || !isComplete(before)) this.#putWhole(conversation, entry);
    }
  }

  /** A question has shown a tool call with its diff. When it has finished, one line says so. */
  asked({ key }: Pick<ConversationEntry, 'key'>): void {
    this.#asked.add(key);
  }

  /** Counts a conversation as written. */
  skip(conversation: Conversation): void {
    this.#latest = conversation;
    this.#plans = conversation.plans;
    for (const entry of conversation.entries) {
      this.#seen.set(entry.key, entry);
      if (!isComplete(entry)) this.#wrote(entry.key, this.#textOf(conversation, entry));
    }
  }

  /** Writes the incomplete entries, and the plans if they have changed. Resolves when everything is written. */
  async finishTurn(conversation: Conversation): Promise<void> {
    this.#finishEntries(conversation);
    if (conversation.plans !== this.#plans) this.#write(`${renderPlans(conversation, this.#options)}\n\n`);
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
    this.#end();
  }

  #textOf(conversation: Conversation, entry: ConversationEntry): string {
    return renderEntry(conversation, entry, this.#options);
  }

  /** Ends the entry that is written, so that something else can follow. Returns whether there was one. */
  endEntry(): boolean {
    const isOpen = this.#last !== undefined;
    this.#end();
    return isOpen;
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
  #grow(conversation: Conversation, entry: ConversationEntry): void {
    const text = this.#textOf(conversation, entry);
    const lastLine = text.lastIndexOf('\n') + 1;
    // The first line is the heading.
    if (lastLine === 0) return;
    // The end of a color moves with the end of its line.
    const isColored = text.includes('\x1b', lastLine);
    const end = isColored ? lastLine - 1 : endOfWords(text);
    this.#put(entry.key, text, Math.max(end, text.indexOf('\n') + 1));
  }

  #putWhole(conversation: Conversation, entry: ConversationEntry): void {
    const isShown = this.#asked.has(entry.key) && isComplete(entry);
    const render = isShown ? renderHeading : renderEntry;
    this.#put(entry.key, render(conversation, entry, this.#options));
    if (this.#last?.key === entry.key) this.#closeLine();
  }

  /**
   * Writes the text of an entry that is not written yet.
   *
   * @param text - All of it, if the entry does not change further.
   * @param ready - How much can be written now. The rest follows when the entry ends.
   */
  #put(key: string, text: string, ready = text.length): void {
    const before = this.#texts.get(key);
    const isRewrapped = before !== undefined && before.width !== this.#options.width;
    const written = isRewrapped ? sameWords(text, before.text) : (before?.text ?? '');
    if (this.#last?.key === key && text.startsWith(written)) {
      const end = Math.max(ready, written.length);
      if (end > written.length) {
        const begin = isRewrapped ? beginOfRest(text, written.length) : undefined;
        if (begin !== undefined) {
          this.#closeLine();
          this.#write(begin);
        }
        this.#write(text.slice(written.length, end));
        this.#wrote(key, text.slice(0, end));
      }
    } else {
      if (text === written) return;
      this.#end();
      const from = startOfNew(written, text);
      if (from > 0) this.#write(`${text.slice(0, text.indexOf('\n'))}\n`);
      this.#write(text.slice(from, Math.max(ready, from)));
      this.#wrote(key, text.slice(0, Math.max(ready, from)));
    }
    this.#last = { key, text };
  }

  /** Writes the rest of the last entry, and an empty line. */
  #end(): void {
    if (!this.#last) return;
    this.#put(this.#last.key, this.#last.text);
    this.#closeLine();
    this.#write('\n');
    this.#last = undefined;
  }

  #wrote(key: string, text: string): void {
    this.#texts.set(key, { text, width: this.#options.width });
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

function isComplete(entry: ConversationEntry): boolean {
  return 'status' in entry ? isToolCallFinished(entry.status) : true;
}
