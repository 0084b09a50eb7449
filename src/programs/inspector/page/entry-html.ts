import type { Conversation, ConversationEntry } from '../../../model/conversation.ts';
import { renderEntryHtml } from '../../../render/html.ts';

interface Drawn {
  readonly html: string;
  readonly terminals: Conversation['terminals'];
  readonly subagents: Conversation['subagents'];
}

const drawn = new WeakMap<ConversationEntry, Drawn>();

/** The HTML of an entry. It is made once, until the entry changes or what it refers to. */
export function entryHtml(conversation: Conversation, entry: ConversationEntry): string {
  const { terminals, subagents } = conversation;
  const before = drawn.get(entry);
  const refers = entry.kind === 'toolCall' || entry.kind === 'sessionMessage';
  if (before && (!refers || (before.terminals === terminals && before.subagents === subagents))) {
    return before.html;
  }
  const html = renderEntryHtml(conversation, entry);
  drawn.set(entry, { html, terminals, subagents });
  return html;
}
