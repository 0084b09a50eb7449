import type { JsonObject, JsonValue } from '../json.ts';
import type { ContentBlock } from './content.ts';
import type { PlanEntry } from './plan.ts';
import type { Command, ConfigOption, Cost, Modes, Notice } from './session.ts';
import type { CancelCapability, FileLocation, ToolCallContent, ToolKind } from './tool-call.ts';

type Meta = { readonly _meta?: JsonObject | null };

/** One more block of a message. Without a `messageId` it belongs to the message that stands last, if the role is the same. */
export interface MessageChunk extends Meta {
  readonly sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
  readonly messageId?: string | null;
  readonly content: ContentBlock;
}

/** A message as a whole: `content` omitted keeps what is there, `null` clears it, a list replaces it. */
export interface MessageUpdate extends Meta {
  readonly sessionUpdate: 'user_message' | 'agent_message' | 'agent_thought';
  readonly messageId: string;
  readonly content?: readonly ContentBlock[] | null;
}

/** A prompt of ours, shown before the agent confirms it. Made by the client, never on the wire. */
export interface PromptSubmitted {
  readonly sessionUpdate: 'prompt_submitted';
  /** Becomes the entry's key; unique in the conversation. */
  readonly key: string;
  readonly content: readonly ContentBlock[];
}

/**
 * What became of a prompt of ours. Made by the client: not accepted, the prompt was never part of the conversation;
 * accepted under an id, it waits for the agent's own words for it; accepted without one, it stands as it was sent.
 */
export interface PromptSettled {
  readonly sessionUpdate: 'prompt_settled';
  readonly key: string;
  readonly accepted: boolean;
  readonly messageId?: string | null;
}

export interface ToolCallFields extends Meta {
  readonly toolCallId: string;
  readonly title?: string | null;
  readonly name?: string | null;
  readonly kind?: ToolKind | null;
  readonly status?: string | null;
  readonly content?: readonly ToolCallContent[] | null;
  readonly locations?: readonly FileLocation[] | null;
  readonly rawInput?: JsonValue;
  readonly rawOutput?: JsonValue;
  readonly capabilities?: CancelCapability | null;
}

/** A tool call announced. On a known id it fills in what it carries, and never takes a status back to `pending`. */
export interface ToolCallAnnounced extends ToolCallFields {
  readonly sessionUpdate: 'tool_call';
}

/** A tool call changed: omitted keeps, `null` clears, a value replaces. An unknown id creates it. */
export interface ToolCallUpdate extends ToolCallFields {
  readonly sessionUpdate: 'tool_call_update';
}

/** One more item of a tool call's content. */
export interface ToolCallContentChunk extends Meta {
  readonly sessionUpdate: 'tool_call_content_chunk';
  readonly toolCallId: string;
  readonly content: ToolCallContent;
}

/** A permission request that waits for an answer, on a tool call; `null` once it is settled. Made by the client. */
export interface PermissionUpdate {
  readonly sessionUpdate: 'permission_update';
  readonly toolCallId: string;
  readonly permission: PendingPermission | null;
}

/** A permission request that waits for the user. */
export interface PendingPermission {
  readonly title: string | null;
  readonly description: string | null;
  readonly options: readonly PermissionOption[];
}

/** One answer that the agent offers to a permission request. */
export interface PermissionOption {
  /** Opaque: decide by `kind`, never by id or place. */
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always' | (string & {});
  readonly _meta?: JsonObject | null;
}

/** Calls off every unfinished tool call. Made by the client when the user cancels, or when a turn ends. */
export interface UnfinishedCancelled {
  readonly sessionUpdate: 'unfinished_cancelled';
}

/** A terminal of the agent's: omitted keeps, `null` clears, a value replaces; `output` replaces every byte. */
export interface TerminalUpdate extends Meta {
  readonly sessionUpdate: 'terminal_update';
  readonly terminalId: string;
  readonly command?: string | null;
  readonly cwd?: string | null;
  /** `data` is base64. */
  readonly output?: { readonly data: string } | null;
  readonly exitStatus?: TerminalExitStatus | null;
  readonly size?: { readonly cols: number; readonly rows: number } | null;
  readonly capabilities?: CancelCapability | null;
}

/** How a terminal's command ended. Both are absent or `null` where that is not known. */
export interface TerminalExitStatus {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly _meta?: JsonObject | null;
}

/** More bytes of a terminal; `data` is base64 and stands alone. */
export interface TerminalOutputChunk extends Meta {
  readonly sessionUpdate: 'terminal_output_chunk';
  readonly terminalId: string;
  readonly data: string;
}

/** A plan, whole. A plan of an unknown type still replaces the one with its id. */
export interface PlanUpdate extends Meta {
  readonly sessionUpdate: 'plan_update';
  readonly plan:
    | { readonly type: 'items'; readonly planId: string; readonly entries: readonly PlanEntry[] }
    | { readonly type: `_${string}`; readonly planId: string; readonly [key: string]: unknown };
}

/** The plan of an agent that has but one, as in version 1. Its `planId` is `plan`. */
export interface SolePlan extends Meta {
  readonly sessionUpdate: 'plan';
  readonly entries: readonly PlanEntry[];
}

export interface PlanRemoved extends Meta {
  readonly sessionUpdate: 'plan_removed';
  readonly planId: string;
}

/** What the session is doing now, whole. */
export interface StateUpdate extends Meta {
  readonly sessionUpdate: 'state_update';
  readonly state: string;
  readonly stopReason?: string | null;
  readonly error?: JsonObject | null;
  readonly background?: readonly BackgroundWork[] | null;
}

/** Work that goes on while the session itself rests. */
export interface BackgroundWork {
  readonly type: string;
  readonly [key: string]: unknown;
}

export interface CommandsUpdate extends Meta {
  readonly sessionUpdate: 'available_commands_update';
  readonly availableCommands: readonly Command[];
}

export interface CurrentModeUpdate extends Meta {
  readonly sessionUpdate: 'current_mode_update';
  readonly currentModeId: string;
}

/** The modes a session answered with when it was opened. Made by the client. */
export interface ModesUpdate {
  readonly sessionUpdate: 'modes_update';
  readonly modes: Modes | null;
}

export interface ConfigOptionUpdate extends Meta {
  readonly sessionUpdate: 'config_option_update';
  readonly configOptions: readonly ConfigOption[];
}

export interface SessionInfoUpdate extends Meta {
  readonly sessionUpdate: 'session_info_update';
  readonly title?: string | null;
  readonly updatedAt?: string | null;
}

export interface UsageUpdate extends Meta {
  readonly sessionUpdate: 'usage_update';
  /** Tokens in the context now. */
  readonly used: number;
  /** Tokens the context can hold. */
  readonly size: number;
  readonly cost?: Cost | null;
}

export interface NoticeUpdate extends Omit<Notice, 'description'>, Meta {
  readonly sessionUpdate: 'notice';
  readonly description?: string | null;
}

export interface CompactionUpdate extends Meta {
  readonly sessionUpdate: 'compaction_update';
  readonly compactionId: string;
  readonly status: string;
  readonly summary?: readonly ContentBlock[] | null;
  readonly error?: string | null;
}

export interface CompactionSummaryChunk extends Meta {
  readonly sessionUpdate: 'compaction_summary_chunk';
  readonly compactionId: string;
  readonly content: ContentBlock;
}

/**
 * An update of a kind this library does not know, as it came. It is wrapped so that no tag of an agent's is taken
 * for one of the client's own.
 */
export interface UnknownUpdate {
  readonly sessionUpdate: '_unknown';
  readonly update: JsonObject;
}

/** Wraps an update of a kind this library does not know. */
export function unknownUpdate(update: JsonObject): UnknownUpdate {
  return { sessionUpdate: '_unknown', update };
}

/** The updates that this library knows, in no particular protocol version. */
export type KnownUpdate =
  | MessageChunk
  | MessageUpdate
  | PromptSubmitted
  | PromptSettled
  | ToolCallAnnounced
  | ToolCallUpdate
  | ToolCallContentChunk
  | PermissionUpdate
  | UnfinishedCancelled
  | TerminalUpdate
  | TerminalOutputChunk
  | PlanUpdate
  | SolePlan
  | PlanRemoved
  | StateUpdate
  | CommandsUpdate
  | CurrentModeUpdate
  | ModesUpdate
  | ConfigOptionUpdate
  | SessionInfoUpdate
  | UsageUpdate
  | NoticeUpdate
  | CompactionUpdate
  | CompactionSummaryChunk;

/**
 * What a conversation is folded from: the vocabulary of version 2, into which version 1 is lifted, and a few
 * updates of the client's own. The tags are those on the wire.
 */
export type ConversationUpdate = KnownUpdate | UnknownUpdate;
