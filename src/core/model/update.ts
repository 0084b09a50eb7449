import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ContentBlock } from './content.ts';
import type { CursorAnchor, CursorCapabilities, SubagentInfo } from './conversation.ts';
import type { ItemsPlan, MarkdownPlan, PlanEntry } from './plan.ts';
import type {
  BackgroundWork,
  ConfigOption,
  SessionNotice,
  SlashCommand,
  TerminalExitStatus,
  TurnUsage,
  UsageCost,
} from './session.ts';
import type { CancelCapability, ToolCallContent, ToolCallLocation, ToolKind } from './tool-call.ts';

/** The metadata that an update can carry. */
export interface UpdateMeta {
  readonly _meta?: JsonObject | null;
}

/**
 * Appends a block to a message. Without a `messageId`, it belongs to the last entry if that is a message of the
 * same role, and its `_meta` names neither another `parentToolCallId` nor another `promptId`. The `_meta` of the first
 * chunk is the `meta` of the message.
 */
export type MessageChunk = ChunkOf<'user_message'> | ChunkOf<'agent_message'> | ChunkOf<'agent_thought'>;

/** A block for a message of one kind. */
interface ChunkOf<Kind extends string> extends UpdateMeta {
  readonly sessionUpdate: `${Kind}_chunk`;
  readonly messageId?: string | null;
  readonly content: ContentBlock;
  /** Set by the client: the first chunk that the agent sends by itself, after a turn or an opening, begins another message. */
  readonly begins?: true;
}

/** Replaces a message. An omitted `content` keeps the content, `null` clears it. */
export type MessageUpdate = WholeOf<'user_message'> | WholeOf<'agent_message'> | WholeOf<'agent_thought'>;

/** A whole message of one kind. */
interface WholeOf<Kind extends string> extends UpdateMeta {
  readonly sessionUpdate: Kind;
  readonly messageId: string;
  readonly content?: readonly ContentBlock[] | null;
}

/** Changes or adds a message between sessions. Omitted fields keep their value, `null` clears them. */
export interface SessionMessageUpdate extends UpdateMeta {
  readonly sessionUpdate: 'session_message';
  readonly messageId: string;
  readonly senderSessionId?: string | null;
  readonly recipientSessionId?: string | null;
  readonly senderMessageId?: string | null;
  readonly recipientMessageId?: string | null;
  readonly content?: readonly ContentBlock[] | null;
}

/** Appends a block to a message between sessions. An unknown id adds a message. */
export interface SessionMessageChunk extends UpdateMeta {
  readonly sessionUpdate: 'session_message_chunk';
  readonly messageId: string;
  readonly content: ContentBlock;
}

/** The fields of a tool call that an update can carry. */
export interface ToolCallFields extends UpdateMeta {
  readonly toolCallId: string;
  readonly title?: string | null;
  readonly name?: string | null;
  readonly kind?: ToolKind | null;
  readonly status?: string | null;
  readonly content?: readonly ToolCallContent[] | null;
  readonly locations?: readonly ToolCallLocation[] | null;
  readonly rawInput?: JsonValue;
  readonly rawOutput?: JsonValue;
  readonly capabilities?: CancelCapability | null;
}

/**
 * Adds a tool call. For the id of a call that has not ended, it sets the fields that it carries, but does not set the
 * status back to `pending`.
 */
export interface ToolCallAnnounced extends ToolCallFields {
  readonly sessionUpdate: 'tool_call';
}

/**
 * Changes a tool call. Omitted fields keep their value, `null` clears them. An unknown id adds a tool call, and so does
 * the id of one that has ended, with a status and a title or an input.
 */
export interface ToolCallUpdate extends ToolCallFields {
  readonly sessionUpdate: 'tool_call_update';
  /** The update is part of a permission request. Only the client sets this. */
  readonly asks?: true;
}

/** Appends an item to the content of a tool call. */
export interface ToolCallContentChunk extends UpdateMeta {
  readonly sessionUpdate: 'tool_call_content_chunk';
  readonly toolCallId: string;
  readonly content: ToolCallContent;
}

/**
 * Changes or adds a terminal of the agent. Omitted fields keep their value, `null` clears them. `output` replaces
 * all output.
 */
export interface TerminalUpdate extends UpdateMeta {
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

/** Appends output to a terminal. Each `data` is complete base64. */
export interface TerminalOutputChunk extends UpdateMeta {
  readonly sessionUpdate: 'terminal_output_chunk';
  readonly terminalId: string;
  readonly data: string;
}

/** Adds a plan, or replaces the one with its id, also one of another type. */
export interface PlanUpdate extends UpdateMeta {
  readonly sessionUpdate: 'plan_update';
  readonly plan:
    | (Omit<ItemsPlan, '_meta'> & UpdateMeta)
    /** `null` as the path means that the plan is in no file. */
    | (Omit<MarkdownPlan, '_meta' | 'path'> & UpdateMeta & { readonly path?: string | null })
    | ({
        readonly type: `_${string}`;
        readonly planId: string;
        readonly [key: string]: unknown;
      } & UpdateMeta);
}

/** Replaces the plan of an agent that has only one, as in version 1. Its `planId` is `plan`. */
export interface SolePlanUpdate extends UpdateMeta {
  readonly sessionUpdate: 'plan';
  readonly entries: readonly PlanEntry[];
}

/** Removes a plan. */
export interface PlanRemoved extends UpdateMeta {
  readonly sessionUpdate: 'plan_removed';
  readonly planId: string;
}

/** Replaces the activity of the session. */
export interface StateUpdate extends UpdateMeta {
  readonly sessionUpdate: 'state_update';
  readonly state: string;
  readonly stopReason?: string | null;
  readonly error?: JsonObject | null;
  /** The tokens of the turn that ended. */
  readonly usage?: TurnUsage | null;
  readonly background?: readonly BackgroundWork[] | null;
}

/** Replaces the slash commands and the skills. */
export interface AvailableCommandsUpdate extends UpdateMeta {
  readonly sessionUpdate: 'available_commands_update';
  readonly availableCommands: readonly SlashCommand[];
}

/** Changes the mode. */
export interface CurrentModeUpdate extends UpdateMeta {
  readonly sessionUpdate: 'current_mode_update';
  readonly currentModeId: string;
}

/** Changes or adds a session that works for this one. Omitted fields keep their value, `null` clears them. */
export interface SubagentUpdate extends UpdateMeta, Partial<Omit<SubagentInfo, 'sessionId' | 'meta'>> {
  readonly sessionUpdate: 'subagent_update';
  /** The id of the subagent's session. */
  readonly sessionId: string;
  /** What the subagent does. `null`: it is not known. Changes the subagent's conversation, not this one. */
  readonly state?: SubagentState | null;
}

/** What a subagent does, as the agent reports it to the session that it works for. */
export type SubagentState = Omit<StateUpdate, 'sessionUpdate'>;

/** The history of a load is complete. Does not change the conversation. */
export interface ReplayComplete extends UpdateMeta {
  readonly sessionUpdate: 'replay_complete';
}

/** Replaces the config options. */
export interface ConfigOptionUpdate extends UpdateMeta {
  readonly sessionUpdate: 'config_option_update';
  readonly configOptions: readonly ConfigOption[];
}

/** Changes title and time of the session. Omitted fields keep their value, `null` clears them. */
export interface SessionInfoUpdate extends UpdateMeta {
  readonly sessionUpdate: 'session_info_update';
  readonly title?: string | null;
  readonly updatedAt?: string | null;
}

/** Replaces the usage. An omitted `cost` keeps the cost, and omitted limits of the plan in `_meta` are kept. */
export interface UsageUpdate extends UpdateMeta {
  readonly sessionUpdate: 'usage_update';
  /** Tokens in the context. */
  readonly used: number;
  /** Maximum number of tokens in the context. */
  readonly size: number;
  readonly cost?: UsageCost | null;
}

/**
 * Replaces the prompts that the agent suggests. The next message of the user empties the list, and so does each message
 * of a replay.
 */
export interface PromptSuggestionsUpdate extends UpdateMeta {
  readonly sessionUpdate: 'prompt_suggestions_update';
  readonly suggestions: readonly ({ readonly prompt: readonly ContentBlock[] } & UpdateMeta)[];
}

/**
 * Changes or adds a cursor. Omitted fields keep their value, `null` clears them. The first update of a cursor has an
 * `anchor`, and later ones do not change it.
 *
 * @experimental
 */
export interface CursorUpdate extends UpdateMeta {
  readonly sessionUpdate: 'cursor_update';
  readonly cursorId: string;
  readonly anchor?: CursorAnchor | null;
  readonly capabilities?: CursorCapabilities | null;
  /** Set for an agent of version 1, in which `_meta` replaces the metadata of the cursor. */
  readonly replacesMeta?: true;
}

/** An event for the user. Does not change the conversation. */
export interface NoticeUpdate extends Omit<SessionNotice, 'description'>, UpdateMeta {
  readonly sessionUpdate: 'notice';
  readonly description?: string | null;
}

/** Changes or adds a compaction. Omitted fields keep their value, `null` clears them. */
export interface CompactionUpdate extends UpdateMeta {
  readonly sessionUpdate: 'compaction_update';
  readonly compactionId: string;
  readonly status: string;
  readonly summary?: readonly ContentBlock[] | null;
  readonly error?: string | null;
}

/** Appends a block to the summary of a compaction. */
export interface CompactionSummaryChunk extends UpdateMeta {
  readonly sessionUpdate: 'compaction_summary_chunk';
  readonly compactionId: string;
  readonly content: ContentBlock;
}

/**
 * An update of an unknown kind, unchanged. It is wrapped so that an agent cannot send updates that only the client
 * creates.
 */
export interface UnknownUpdate {
  readonly sessionUpdate: '_unknown';
  readonly update: JsonObject;
}

/**
 * An update of a conversation, as agents send it: the updates of version 2, to which version 1 is normalized, and
 * updates of an unknown kind. The tags are those of the protocol.
 */
export type ConversationUpdate =
  | MessageChunk
  | MessageUpdate
  | SessionMessageUpdate
  | SessionMessageChunk
  | ToolCallAnnounced
  | ToolCallUpdate
  | ToolCallContentChunk
  | TerminalUpdate
  | TerminalOutputChunk
  | PlanUpdate
  | SolePlanUpdate
  | PlanRemoved
  | StateUpdate
  | AvailableCommandsUpdate
  | CurrentModeUpdate
  | SubagentUpdate
  | ReplayComplete
  | ConfigOptionUpdate
  | SessionInfoUpdate
  | UsageUpdate
  | PromptSuggestionsUpdate
  | CursorUpdate
  | NoticeUpdate
  | CompactionUpdate
  | CompactionSummaryChunk
  | UnknownUpdate;
