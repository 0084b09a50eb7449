export { emptyConversation, type FoldOptions, foldUpdate, foldUpdates } from './conversation/fold.ts';
export { maxTerminalBytes } from './conversation/output-tail.ts';
export { changedEntries, terminalBytes, terminalText, textOf, toolCall } from './conversation/select.ts';
export { type Setting, type SettingChoice, settings } from './conversation/settings.ts';
export {
  type ConversationStore,
  createConversationStore,
  type WritableConversationStore,
} from './conversation/store.ts';
export { isFinished } from './conversation/tool-calls.ts';
export type { JsonObject, JsonValue } from './json.ts';
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
} from './model/content.ts';
export type {
  Activity,
  CompactionEntry,
  Conversation,
  Entry,
  MessageEntry,
  Origin,
  Terminal,
  ToolCallEntry,
  UnknownEntry,
  Usage,
} from './model/conversation.ts';
export type { Plan, PlanEntry } from './model/plan.ts';
export type {
  BooleanConfigOption,
  Command,
  ConfigChoice,
  ConfigChoiceGroup,
  ConfigOption,
  Cost,
  Mode,
  Modes,
  SelectConfigOption,
  UnknownConfigOption,
} from './model/session.ts';
export type {
  CancelCapability,
  Diff,
  FileChange,
  Location,
  TerminalReference,
  ToolCallBlock,
  ToolCallContent,
  ToolCallStatus,
  ToolKind,
  UnknownToolCallContent,
} from './model/tool-call.ts';
export type {
  BackgroundWork,
  ConversationUpdate,
  KnownUpdate,
  PendingPermission,
  PermissionOption,
  TerminalExitStatus,
} from './model/update.ts';
export { unknownUpdate } from './model/update.ts';
export { type HtmlOptions, renderHtml } from './render/html.ts';
export { renderMarkdown } from './render/markdown.ts';
export { renderText, type TextOptions } from './render/text.ts';
