export { rateLimitsOf } from '../agents/rate-limits.ts';
export { askedPlan } from '../conversation/asked-plan.ts';
export { diffConversation } from '../conversation/diff.ts';
export { type ExportedConversation, exportConversation } from '../conversation/export.ts';
export { emptyConversation, type FoldOptions, foldUpdate, foldUpdates } from '../conversation/fold.ts';
export { importConversation } from '../conversation/import.ts';
export type * from '../conversation/mirror.ts';
export { createConversationMirror } from '../conversation/mirror.ts';
export type * from '../conversation/patch.ts';
export { applyPatch } from '../conversation/patch.ts';
export type * from '../conversation/publish.ts';
export { publishConversation } from '../conversation/publish.ts';
export { type OpenQuestion, openQuestions } from '../conversation/questions.ts';
export { changedEntries, findToolCall, pathsOf, textOf } from '../conversation/select.ts';
export { type SessionSetting, type SessionSettingChoice, settingsOf } from '../conversation/settings.ts';
export {
  type ConversationStoreOptions,
  createConversationStore,
  type WritableConversationStore,
} from '../conversation/store.ts';
export type { RateLimit } from '../model/session.ts';
export { isToolCallFinished } from '../model/tool-call-status.ts';
export { plainText } from '../render/clean.ts';
export { diffLines, type FileDiff } from '../render/diff-lines.ts';
export { type RenderHtmlOptions, renderEntryHtml, renderHtml, renderPlanHtml } from '../render/html.ts';
export { renderEntryMarkdown, renderMarkdown } from '../render/markdown.ts';
export type { DiffLine } from '../render/patch-sections.ts';
export { type RenderTextOptions, renderText } from '../render/text.ts';
export { type ToolOutputItem, toolOutput } from '../render/tool-output.ts';
export type * from './conversation-model.ts';
