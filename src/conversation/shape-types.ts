import type { JsonObject, JsonValue } from '../base/json.ts';
import type * as content from '../model/content.ts';
import type * as conversation from '../model/conversation.ts';
import type * as permission from '../model/permission.ts';
import type * as plan from '../model/plan.ts';
import type * as session from '../model/session.ts';
import type * as toolCall from '../model/tool-call.ts';

/** The types with fields. */
export interface ObjectTypes {
  Annotations: content.Annotations;
  TextContent: content.TextContent;
  ImageContent: content.ImageContent;
  AudioContent: content.AudioContent;
  ResourceLink: content.ResourceLink;
  EmbeddedResource: content.EmbeddedResource;
  TextResource: content.TextResource;
  BlobResource: content.BlobResource;
  SkillContent: content.SkillContent;
  UnknownContent: content.UnknownContent;
  ToolCallBlock: toolCall.ToolCallBlock;
  ToolCallDiff: toolCall.ToolCallDiff;
  Patch: NonNullable<toolCall.ToolCallDiff['patch']>;
  FileChange: toolCall.FileChange;
  TerminalReference: toolCall.TerminalReference;
  SessionReference: toolCall.SessionReference;
  ToolCallLocation: toolCall.ToolCallLocation;
  ToolCallProgress: toolCall.ToolCallProgress;
  CancelCapability: toolCall.CancelCapability;
  PendingPermission: permission.PendingPermission;
  PermissionOption: permission.PermissionOption;
  MessageEntry: conversation.MessageEntry;
  SessionMessageEntry: conversation.SessionMessageEntry;
  ToolCallEntry: conversation.ToolCallEntry;
  CompactionEntry: conversation.CompactionEntry;
  TurnFailureEntry: conversation.TurnFailureEntry;
  UnknownEntry: conversation.UnknownEntry;
  ItemsPlan: plan.ItemsPlan;
  MarkdownPlan: plan.MarkdownPlan;
  UnknownPlan: plan.UnknownPlan;
  PlanEntry: plan.PlanEntry;
  ConversationTerminal: conversation.ConversationTerminal;
  TerminalExitStatus: session.TerminalExitStatus;
  TerminalSize: NonNullable<conversation.ConversationTerminal['size']>;
  SessionActivity: conversation.SessionActivity;
  TurnUsage: session.TurnUsage;
  BackgroundWork: session.BackgroundWork;
  ConversationInfo: conversation.Conversation['info'];
  SessionUsage: conversation.SessionUsage;
  UsageCost: session.UsageCost;
  TextCommand: session.TextCommand;
  AgentSkill: session.AgentSkill;
  UnknownCommand: session.UnknownCommand;
  CommandInput: NonNullable<session.TextCommand['input']>;
  SelectConfigOption: session.SelectConfigOption;
  BooleanConfigOption: session.BooleanConfigOption;
  UnknownConfigOption: session.UnknownConfigOption;
  ConfigChoice: session.ConfigChoice;
  ConfigChoiceGroup: session.ConfigChoiceGroup;
  SessionModes: session.SessionModes;
  SessionMode: session.SessionMode;
  SessionModels: session.SessionModels;
  SessionModel: session.SessionModel;
  PromptSuggestion: conversation.PromptSuggestion;
  SubagentInfo: conversation.SubagentInfo;
  SessionCursor: conversation.SessionCursor;
  CursorCapabilities: conversation.CursorCapabilities;
  UserMessageAnchor: conversation.CursorMessageAnchor<'user_message'>;
  AgentMessageAnchor: conversation.CursorMessageAnchor<'agent_message'>;
  AgentThoughtAnchor: conversation.CursorMessageAnchor<'agent_thought'>;
  SessionMessageAnchor: conversation.CursorMessageAnchor<'session_message'>;
  ToolCallAnchor: conversation.CursorToolCallAnchor;
  CompactionAnchor: conversation.CursorCompactionAnchor;
  PendingMessage: conversation.PendingMessage;
  Conversation: conversation.Conversation;
}

/** The unions that a field tells apart. Later versions of the protocol extend those with `type`. */
export interface UnionTypes {
  ContentBlock: content.ContentBlock;
  ToolCallContent: toolCall.ToolCallContent;
  Plan: plan.Plan;
  ConfigOption: session.ConfigOption;
  SlashCommand: session.SlashCommand;
  CursorAnchor: conversation.CursorAnchor;
  ConversationEntry: conversation.ConversationEntry;
}

/** The unions of two types without such a field. */
export interface EitherTypes {
  Resource: content.EmbeddedResource['resource'];
  ConfigChoices: session.SelectConfigOption['options'];
}

/** The strings of which there are no others. */
export interface EnumTypes {
  EntryOrigin: conversation.EntryOrigin;
  MessageRole: conversation.MessageEntry['role'];
  FailureCause: conversation.TurnFailureEntry['cause'];
  TerminalOwner: conversation.ConversationTerminal['owner'];
  PendingKind: conversation.PendingMessage['kind'];
  PendingState: conversation.PendingMessage['state'];
}

type Types = ObjectTypes & UnionTypes & EitherTypes & EnumTypes;

/** The type of a field in a table: `string`, `Plan[]`, `UsageCost|null`, `=text` for one string, `?` if it can be absent. */
export type Code<T> = undefined extends T ? `${Present<Exclude<T, undefined>>}?` : Present<T>;

type Present<T> =
  Same<T, JsonValue> extends true ? 'json' : null extends T ? `${Value<Exclude<T, null>>}|null` : Value<T>;

type Value<T> = [NameOf<T>] extends [never] ? Plain<T> : NameOf<T>;

type Plain<T> = [T] extends [string]
  ? [string] extends [T]
    ? 'string'
    : T extends `_${string}`
      ? 'string'
      : `=${T}`
  : [T] extends [number]
    ? 'number'
    : [T] extends [boolean]
      ? 'boolean'
      : T extends readonly (infer Item)[]
        ? `${Code<Item>}[]`
        : Same<T, JsonObject> extends true
          ? 'object'
          : T extends Readonly<Record<string, infer Part>>
            ? `${Code<Part>}{}`
            : never;

type NameOf<T> = { [N in keyof Types]: Same<Types[N], T> extends true ? N : never }[keyof Types];

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The fields of a type, without an index signature. */
type Fields<T> = {
  readonly [K in keyof T as string extends K ? never : number extends K ? never : K]-?: Code<T[K]>;
};

export type ObjectShapes = { readonly [N in keyof ObjectTypes]: Fields<ObjectTypes[N]> };

/** The types of a union by the values of the field, and `other` for a value that is not known. */
interface UnionShape<T, K extends keyof T, Known> {
  readonly by: K;
  readonly of: { readonly [V in Known & string]: NameOf<Extract<T, { readonly [P in K]: V }>> };
  readonly other: Exclude<T[K], Known> extends never ? undefined : keyof ObjectTypes;
}

type UnionOf<T> = T extends { readonly kind: unknown } ? 'kind' : 'type';

export type UnionShapes = {
  readonly [N in keyof UnionTypes]: UnionOf<UnionTypes[N]> extends infer K
    ? K extends keyof UnionTypes[N]
      ? UnionShape<UnionTypes[N], K, Exclude<UnionTypes[N][K], `_${string}`>>
      : never
    : never;
};

export type EitherShapes = { readonly [N in keyof EitherTypes]: EitherShape<EitherTypes[N]> };

/** In the order in which they are tried. */
type EitherShape<T> = readonly (T extends unknown ? Code<T> : never)[];

export type EnumShapes = { readonly [N in keyof EnumTypes]: Readonly<Record<EnumTypes[N], true>> };
