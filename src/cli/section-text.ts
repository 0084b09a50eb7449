import type { Conversation, Entry } from '../model/conversation.ts';
import { renderText, type TextOptions } from '../render/text.ts';

/** One entry of a transcript, as it stands in the whole. */
export function sectionText(conversation: Conversation, entry: Entry, options: TextOptions = {}): string {
  const alone = { ...conversation, plans: [] };
  // The session's own section comes first, whatever follows.
  const heading = renderText({ ...alone, entries: [] }, options).trimEnd();
  return renderText({ ...alone, entries: [entry] }, options)
    .slice(heading.length)
    .trim();
}
