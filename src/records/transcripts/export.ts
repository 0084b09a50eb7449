import type { Conversation } from '../../core/model/conversation.ts';
import { renderHtml } from '../../core/render/html.ts';
import { renderMarkdown } from '../../core/render/markdown.ts';
import { renderText } from '../../core/render/text.ts';
import { exportConversation } from '../saved/export.ts';

/** What a transcript can be exported as. */
export type ExportFormat = 'json' | 'markdown' | 'html' | 'text';

/** The functions that write a conversation in each format. */
export const exporters: Readonly<Record<ExportFormat, (conversation: Conversation) => string>> = {
  json: (conversation) => `${JSON.stringify(exportConversation(conversation), null, 2)}\n`,
  markdown: (conversation) => renderMarkdown(conversation),
  html: (conversation) => renderHtml(conversation),
  text: (conversation) => renderText(conversation),
};
