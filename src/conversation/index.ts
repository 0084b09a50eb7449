export type { JsonObject, JsonValue } from '../json.ts';
export type {
  Annotations,
  AudioContent,
  BlobResource,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  TextResource,
  UnknownContent,
} from '../model/content.ts';
export type {
  Activity,
  CompactionEntry,
  Conversation,
  Entry,
  MessageEntry,
  Origin,
  SessionMessageEntry,
  SubagentInfo,
  Terminal,
  ToolCallEntry,
  TurnFailureEntry,
  UnknownEntry,
  Usage,
} from '../model/conversation.ts';
export type { PendingPermission, PermissionOption } from '../model/permission.ts';
export type { Plan, PlanEntry } from '../model/plan.ts';
export type {
  BackgroundWork,
  BooleanConfigOption,
  Command,
  ConfigChoice,
  ConfigChoiceGroup,
  ConfigOption,
  Cost,
  Mode,
  Model,
  Models,
  Modes,
  SelectConfigOption,
  TerminalExitStatus,
  TurnUsage,
  UnknownConfigOption,
} from '../model/session.ts';
export type {
  CancelCapability,
  Diff,
  FileChange,
  FileLocation,
  SessionReference,
  TerminalReference,
  ToolCallBlock,
  ToolCallContent,
  ToolCallStatus,
  ToolKind,
  UnknownToolCallContent,
} from '../model/tool-call.ts';
export type { ConversationUpdate, KnownUpdate } from '../model/update.ts';
export { unknownUpdate } from '../model/update.ts';
export { type HtmlOptions, renderHtml } from '../render/html.ts';
export { renderMarkdown } from '../render/markdown.ts';
export { renderText, type TextOptions } from '../render/text.ts';
export { diffConversation } from './diff.ts';
export { emptyConversation, type FoldOptions, foldUpdate, foldUpdates } from './fold.ts';
export { type ConversationMirror, createConversationMirror } from './mirror.ts';
export { maxTerminalBytes } from './output-tail.ts';
export { applyPatch, type ConversationPatch, type PatchOperation, type PatchPath } from './patch.ts';
export { type ConversationPublisher, type MirrorMessage, publishConversation } from './publish.ts';
export { changedEntries, terminalBytes, terminalText, textOf, toolCall } from './select.ts';
export { type Setting, type SettingChoice, settings } from './settings.ts';
export {
  type ConversationStore,
  createConversationStore,
  type WritableConversationStore,
} from './store.ts';
export { isFinished } from './tool-call-status.ts';
