import { exportConversation } from '../../core/conversation/export.ts';
import type { Conversation, ConversationEntry } from '../../core/model/conversation.ts';
import { renderHtml } from '../../core/render/html.ts';
import { renderMarkdown } from '../../core/render/markdown.ts';
import { type RenderTextOptions, renderEntryText, renderText, wrapHeading } from '../../core/render/text.ts';
import { documentFormats, type Format } from './formats.ts';
import { type Output, toJson } from './print.ts';

/** The formats of a whole conversation. */
export type DocumentFormat = (typeof documentFormats)[number];

const renderers = {
  text: (conversation: Conversation, { width, color }: Output) =>
    renderText(conversation, { color, ...(width !== undefined && { width }) }),
  markdown: (conversation: Conversation) => renderMarkdown(conversation),
  html: (conversation: Conversation) => renderHtml(conversation),
  json: (conversation: Conversation) => toJson(exportConversation(conversation)),
} satisfies Record<DocumentFormat, (conversation: Conversation, output: Output) => string>;

/** Prints a conversation as the result. */
export function printConversation(conversation: Conversation, format: Format, output: Output): Promise<void> {
  // The arguments were checked: a command that prints a whole conversation has no other format.
  const known = documentFormats.find((one) => one === format) ?? 'text';
  return output.result(renderers[known](conversation, output));
}

/** The first line of {@link renderEntryText}, which a narrow terminal has on several lines. */
export function renderHeading(
  conversation: Conversation,
  entry: ConversationEntry,
  options: RenderTextOptions = {},
): string {
  const [title = ''] = renderEntryText(conversation, entry, { width: Number.POSITIVE_INFINITY }).split('\n');
  const { length } = wrapHeading(title, options.width ?? 80).split('\n');
  return renderEntryText(conversation, entry, options).split('\n').slice(0, length).join('\n');
}

/** Text of the plans, as it is in the text of the whole conversation. */
export function renderPlans(conversation: Conversation, options: RenderTextOptions = {}): string {
  const text = renderText({ ...conversation, entries: [] }, options);
  // The text always begins with the section of the session.
  const session = renderText({ ...conversation, entries: [], plans: [] }, options).trimEnd();
  return text.slice(session.length).trim();
}
