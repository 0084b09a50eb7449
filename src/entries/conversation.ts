export type { JsonObject, JsonValue } from '../base/json.ts';
export type { ProcessExit } from '../base/process-exit.ts';
export { diffConversation } from '../conversation/diff.ts';
export { emptyConversation, type FoldOptions, foldUpdate, foldUpdates } from '../conversation/fold.ts';
export {
  type ConversationMirror,
  type ConversationMirrorOptions,
  createConversationMirror,
} from '../conversation/mirror.ts';
export {
  applyPatch,
  type ConversationPatch,
  type PatchOperation,
  type PatchPath,
} from '../conversation/patch.ts';
export {
  type ConversationPublisher,
  type ConversationPublisherOptions,
  type MirrorMessage,
  publishConversation,
} from '../conversation/publish.ts';
export { type OpenQuestion, openQuestions } from '../conversation/questions.ts';
export { changedEntries, findToolCall, terminalBytes, terminalText, textOf } from '../conversation/select.ts';
export { type SessionSetting, type SessionSettingChoice, settingsOf } from '../conversation/settings.ts';
export {
  type ConversationStore,
  type ConversationStoreOptions,
  createConversationStore,
  type WritableConversationStore,
} from '../conversation/store.ts';
export { isToolCallFinished } from '../conversation/tool-call-status.ts';
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
  CompactionEntry,
  Conversation,
  ConversationEntry,
  ConversationTerminal,
  EntryOrigin,
  MessageEntry,
  PendingMessage,
  SessionActivity,
  SessionMessageEntry,
  SessionUsage,
  SubagentInfo,
  ToolCallEntry,
  TurnFailureEntry,
  UnknownEntry,
} from '../model/conversation.ts';
export type { PendingPermission, PermissionOption } from '../model/permission.ts';
export type { Plan, PlanEntry } from '../model/plan.ts';
export type {
  BackgroundWork,
  BooleanConfigOption,
  ConfigChoice,
  ConfigChoiceGroup,
  ConfigOption,
  ConfigOptionBase,
  SelectConfigOption,
  SessionMode,
  SessionModel,
  SessionModels,
  SessionModes,
  SessionNotice,
  SlashCommand,
  TerminalExitStatus,
  TurnUsage,
  UnknownConfigOption,
  UsageCost,
} from '../model/session.ts';
export type {
  CancelCapability,
  FileChange,
  SessionReference,
  TerminalReference,
  ToolCallBlock,
  ToolCallContent,
  ToolCallDiff,
  ToolCallLocation,
  ToolCallStatus,
  ToolKind,
  UnknownToolCallContent,
} from '../model/tool-call.ts';
export type {
  AvailableCommandsUpdate,
  CompactionSummaryChunk,
  CompactionUpdate,
  ConfigOptionUpdate,
  ConversationUpdate,
  CurrentModeUpdate,
  KnownUpdate,
  MessageChunk,
  MessageUpdate,
  NoticeUpdate,
  PlanRemoved,
  PlanUpdate,
  ReplayComplete,
  SessionInfoUpdate,
  SessionMessageChunk,
  SessionMessageUpdate,
  SolePlanUpdate,
  StateUpdate,
  SubagentState,
  SubagentUpdate,
  TerminalOutputChunk,
  TerminalUpdate,
  ToolCallAnnounced,
  ToolCallContentChunk,
  ToolCallFields,
  ToolCallUpdate,
  UnknownUpdate,
  UpdateMeta,
  UsageUpdate,
} from '../model/update.ts';
export { plainText } from '../render/clean.ts';
export { diffLines, type FileDiff } from '../render/diff-lines.ts';
export { type RenderHtmlOptions, renderEntryHtml, renderHtml } from '../render/html.ts';
export { renderEntryMarkdown, renderMarkdown } from '../render/markdown.ts';
export type { DiffLine } from '../render/patch-sections.ts';
export { type RenderTextOptions, renderText } from '../render/text.ts';
export { type ToolOutputItem, toolOutput } from '../render/tool-output.ts';
