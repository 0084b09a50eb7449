// The types of a conversation, which the main entry and `/conversation` share.

export type { JsonObject, JsonValue } from '../core/base/json.ts';
export type { ProcessExit } from '../core/base/process-exit.ts';
export type { ConversationStore } from '../core/conversation/store.ts';
export type { ContentBlock, UnknownContent } from '../core/model/content.ts';
export type {
  Conversation,
  ConversationEntry,
  ConversationTerminal,
  MessageEntry,
  SubagentInfo,
  ToolCallEntry,
} from '../core/model/conversation.ts';
export type { PendingPermission, PermissionOption } from '../core/model/permission.ts';
export type { Plan, PlanEntry } from '../core/model/plan.ts';
export type { ConfigOption, SessionNotice, SlashCommand } from '../core/model/session.ts';
export type {
  FileChange,
  ToolCallContent,
  ToolCallDiff,
  ToolCallStatus,
  ToolKind,
} from '../core/model/tool-call.ts';
export type { ConversationUpdate } from '../core/model/update.ts';
