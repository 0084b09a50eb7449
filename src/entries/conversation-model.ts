// The types of a conversation, which the main entry and `/conversation` share.

export type { JsonObject, JsonValue } from '../base/json.ts';
export type { ProcessExit } from '../base/process-exit.ts';
export type { ConversationStore } from '../conversation/store.ts';
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
} from '../model/content.ts';
export type * from '../model/conversation.ts';
export type { PendingPermission, PermissionOption } from '../model/permission.ts';
export type { ItemsPlan, MarkdownPlan, Plan, PlanEntry, UnknownPlan } from '../model/plan.ts';
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
} from '../model/session.ts';
export type * from '../model/tool-call.ts';
export type * from '../model/update.ts';
