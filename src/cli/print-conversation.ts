import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import { renderHtml } from '../render/html.ts';
import { renderMarkdown } from '../render/markdown.ts';
import { type RenderTextOptions, renderText } from '../render/text.ts';
import type { Format } from './options.ts';
import { type Output, toJson } from './print.ts';

const renderers = {
  text: (conversation: Conversation, { width, color }: Output) =>
    renderText(conversation, { color, ...(width !== undefined && { width }) }),
  markdown: (conversation: Conversation) => renderMarkdown(conversation),
  html: (conversation: Conversation) => renderHtml(conversation),
  json: (conversation: Conversation) => toJson(conversation),
} satisfies Record<Format, (conversation: Conversation, output: Output) => string>;

/** Prints a conversation as the result. */
export function printConversation(conversation: Conversation, format: Format, output: Output): Promise<void> {
  return output.result(renderers[format](conversation, output));
}

/** Text of one entry, as it is in the text of the whole conversation. */
export function renderEntry(
  conversation: Conversation,
  entry: ConversationEntry,
  options: RenderTextOptions = {},
): string {
  return withoutHeading({ ...conversation, plans: [], entries: [entry] }, options);
}

/** Text of the plans, as it is in the text of the whole conversation. */
export function renderPlans(conversation: Conversation, options: RenderTextOptions = {}): string {
  return withoutHeading({ ...conversation, entries: [] }, options);
}

/** The text always begins with the section of the session. */
function withoutHeading(conversation: Conversation, options: RenderTextOptions): string {
  const heading = renderText({ ...conversation, entries: [], plans: [] }, options).trimEnd();
  return renderText(conversation, options).slice(heading.length).trim();
}
