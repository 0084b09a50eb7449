import type { Conversation } from '../model/conversation.ts';
import { renderHtml } from '../render/html.ts';
import { renderMarkdown } from '../render/markdown.ts';
import { renderText } from '../render/text.ts';
import type { Format } from './grammar.ts';
import { toJson } from './json-text.ts';
import type { Output } from './output.ts';

type Render = (conversation: Conversation, output: Output) => string;

const renderers: Readonly<Record<Format, Render>> = {
  text: (conversation, { width, color }) =>
    renderText(conversation, { color, ...(width !== undefined && { width }) }),
  markdown: (conversation) => renderMarkdown(conversation),
  html: (conversation) => renderHtml(conversation),
  json: toJson,
};

/** Prints a conversation as the result. */
export function printConversation(conversation: Conversation, format: Format, output: Output): Promise<void> {
  return output.result(renderers[format](conversation, output));
}
