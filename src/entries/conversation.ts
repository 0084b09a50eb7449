/**
 * The conversation of a session as data: folds, stores, mirrors, patches, and renderers for text, Markdown and HTML. It
 * needs no connection, so a page can use it alone.
 *
 * Level: stable.
 *
 * @packageDocumentation
 */

export { rateLimitsOf } from '../agents/rate-limits.ts';
export { askedPlan } from '../core/conversation/asked-plan.ts';
export { diffConversation } from '../core/conversation/diff.ts';
export { emptyConversation, foldUpdate, foldUpdates } from '../core/conversation/fold.ts';
export { applyPatch, type ConversationPatch } from '../core/conversation/patch.ts';
export { type OpenQuestion, openQuestions } from '../core/conversation/questions.ts';
export { changedEntries, findToolCall, pathsOf, textOf } from '../core/conversation/select.ts';
export { type SessionSetting, settingsOf } from '../core/conversation/settings.ts';
export { createConversationStore, type WritableConversationStore } from '../core/conversation/store.ts';
export type { RateLimit } from '../core/model/session.ts';
export { isToolCallFinished } from '../core/model/tool-call.ts';
export { plainText } from '../core/render/clean.ts';
export { diffLines, type FileDiff } from '../core/render/diff-lines.ts';
export { renderEntryHtml, renderHtml, renderPlanHtml } from '../core/render/html.ts';
export { renderEntryMarkdown, renderMarkdown } from '../core/render/markdown.ts';
export type { DiffLine } from '../core/render/patch-sections.ts';
export { renderText } from '../core/render/text.ts';
export { type ToolOutputItem, toolOutput } from '../core/render/tool-output.ts';
export { type ConversationMirror, createConversationMirror } from '../records/mirror/mirror.ts';
export {
  type ConversationPublisher,
  type MirrorMessage,
  publishConversation,
} from '../records/mirror/publish.ts';
export { type ExportedConversation, exportConversation } from '../records/saved/export.ts';
export { importConversation } from '../records/saved/import.ts';
export type * from './conversation-model.ts';
