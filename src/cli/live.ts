import { isToolCallFinished } from '../conversation/tool-call-status.ts';
import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { renderText } from '../render/text.ts';
import type { Output } from './print.ts';
import { renderEntry, renderPlans } from './print-conversation.ts';

/**
 * Writes a transcript to a terminal while it grows, line by line. A message is written as it grows. A tool call is
 * announced when it starts, and written in full when it has finished.
 */
export class LiveTranscript {
  readonly #output: Pick<Output, 'result'>;
  readonly #options: { readonly color: boolean; readonly width: number };
  readonly #seen = new Map<string, ConversationEntry>();
  /** The lines that are written, by the key of the entry. */
  readonly #lines = new Map<string, readonly string[]>();
  /** The entry at the end of the output, and all its lines. */
  #last: { readonly key: string; readonly lines: readonly string[] } | undefined;
  #latest: Conversation | undefined;
  /** The plans that are written. */
  #plans: Conversation['plans'] = [];
  #isPaused = false;
  #written = Promise.resolve();

  constructor(output: Pick<Output, 'color' | 'width' | 'result'>) {
    this.#output = output;
    this.#options = { color: output.color, width: output.width ?? 80 };
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
      const lines = this.#linesOf(conversation, entry);
      if (entry.kind === 'message' || entry.kind === 'sessionMessage') {
        // The first line is the heading. The last one can still become longer.
        if (lines.length > 1) this.#put(entry.key, lines, lines.length - 1);
      } else if (isComplete(entry)) {
        if (!before || !isComplete(before)) this.#put(entry.key, lines);
      } else if (entry.kind === 'toolCall' && !before) this.#put(entry.key, lines.slice(0, 1));
    }
  }

  /** Counts a conversation as written. */
  skip(conversation: Conversation): void {
    this.#latest = conversation;
    this.#plans = conversation.plans;
    for (const entry of conversation.entries) {
      this.#seen.set(entry.key, entry);
      if (!isComplete(entry)) this.#lines.set(entry.key, this.#linesOf(conversation, entry));
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
      if (!isComplete(entry)) this.#put(entry.key, this.#linesOf(conversation, entry));
    }
    this.#end();
  }

  #linesOf(conversation: Conversation, entry: ConversationEntry): readonly string[] {
    return renderEntry(conversation, entry, this.#options).split('\n');
  }

  pause(): void {
    this.#end();
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#latest) this.show(this.#latest);
  }

  /**
   * Writes the lines of an entry that are not written yet.
   *
   * @param lines - All of them, if the entry does not change further.
   * @param ready - How many can be written now. The others follow when the entry ends.
   */
  #put(key: string, lines: readonly string[], ready = lines.length): void {
    const written = this.#lines.get(key) ?? [];
    const firstNew = lines.findIndex((line, index) => line !== written[index]);
    const same = firstNew < 0 ? lines.length : firstNew;
    if (this.#last?.key !== key || same < written.length) {
      if (same === lines.length) return;
      this.#end();
      if (same > 0) this.#write(`${lines[0]}\n`);
    }
    if (ready > same) this.#write(`${lines.slice(same, ready).join('\n')}\n`);
    this.#lines.set(key, lines.slice(0, Math.max(same, ready)));
    this.#last = { key, lines };
  }

  /** Writes the rest of the last entry, and an empty line. */
  #end(): void {
    if (!this.#last) return;
    this.#put(this.#last.key, this.#last.lines);
    this.#write('\n');
    this.#last = undefined;
  }

  #write(text: string): void {
    this.#written = this.#output.result(text);
    // `finish` throws the error of the last write.
    this.#written.catch(() => {});
  }
}

function isComplete(entry: ConversationEntry): boolean {
  return 'status' in entry ? isToolCallFinished(entry.status) : true;
}
