import type { Conversation, ConversationEntry } from '../../../core/model/conversation.ts';
import { renderEntryHtml } from '../../../core/render/html.ts';

/** The HTML of entries. It is made once, until the entry changes or what it refers to. */
export class EntryHtml {
  readonly #known = new WeakMap<
    ConversationEntry,
    { readonly html: string; readonly refersTo: readonly unknown[] }
  >();

  of(conversation: Conversation, entry: ConversationEntry): string {
    const refers = entry.kind === 'toolCall' || entry.kind === 'sessionMessage';
    const refersTo = refers ? [conversation.terminals, conversation.subagents] : [];
    const before = this.#known.get(entry);
    if (before?.refersTo.every((part, place) => part === refersTo[place])) return before.html;
    const html = renderEntryHtml(conversation, entry);
    this.#known.set(entry, { html, refersTo });
    return html;
  }
}
