// The types of a conversation, which the main entry and `/conversation` share.

export type { JsonObject, JsonValue } from '../core/base/json.ts';
export type { ProcessExit } from '../core/base/process-exit.ts';
export type { ConversationStore } from '../core/conversation/store.ts';
export type {
  Annotations,
  AudioContent,
  BlobResource,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  SkillContent,
  TextContent,
  TextResource,
  UnknownContent,
} from '../core/model/content.ts';
export type * from '../core/model/conversation.ts';
export type { PendingPermission, PermissionOption } from '../core/model/permission.ts';
export type { ItemsPlan, MarkdownPlan, Plan, PlanEntry, UnknownPlan } from '../core/model/plan.ts';
export type {
  AgentSkill,
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
  TextCommand,
  TurnUsage,
  UnknownCommand,
  UnknownConfigOption,
  UsageCost,
} from '../core/model/session.ts';
export type * from '../core/model/tool-call.ts';
export type * from '../core/model/update.ts';
