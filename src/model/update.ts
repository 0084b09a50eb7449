import type { JsonObject, JsonValue } from '../json.ts';
import type { ProcessExit } from '../process-exit.ts';
import type { ContentBlock } from './content.ts';
import type { ConversationEntry, ConversationTerminal } from './conversation.ts';
import type { PendingPermission } from './permission.ts';
import type { PlanEntry } from './plan.ts';
import type {
  BackgroundWork,
  ConfigOption,
  SessionModels,
  SessionModes,
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
 * same role.
 */
export interface MessageChunk extends UpdateMeta {
  readonly sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';
  readonly messageId?: string | null;
  readonly content: ContentBlock;
}

/** Replaces a message. An omitted `content` keeps the content, `null` clears it. */
export interface MessageUpdate extends UpdateMeta {
  readonly sessionUpdate: 'user_message' | 'agent_message' | 'agent_thought';
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

/** A prompt that the agent has not confirmed yet. Created by the client, never sent. */
export interface PromptSubmitted {
  readonly sessionUpdate: 'prompt_submitted';
  /** Key of the entry. Unique in the conversation. */
  readonly key: string;
  readonly content: readonly ContentBlock[];
}

/**
 * The agent accepted or refused a prompt. Created by the client. A refused prompt is removed. A prompt that was
 * accepted with an id stays unconfirmed until the agent echoes it. One that was accepted without an id is confirmed
 * as sent.
 */
export interface PromptSettled {
  readonly sessionUpdate: 'prompt_settled';
  readonly key: string;
  readonly accepted: boolean;
  readonly messageId?: string | null;
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
 * Adds a tool call. For a known id it sets the fields that it carries, but does not set the status back to
 * `pending`.
 */
export interface ToolCallAnnounced extends ToolCallFields {
  readonly sessionUpdate: 'tool_call';
}

/** Changes a tool call. Omitted fields keep their value, `null` clears them. An unknown id adds a tool call. */
export interface ToolCallUpdate extends ToolCallFields {
  readonly sessionUpdate: 'tool_call_update';
}

/** Appends an item to the content of a tool call. */
export interface ToolCallContentChunk extends UpdateMeta {
  readonly sessionUpdate: 'tool_call_content_chunk';
  readonly toolCallId: string;
  readonly content: ToolCallContent;
}

/** Sets the open permission request of a tool call, or removes it with `null`. Created by the client. */
export interface PermissionUpdate {
  readonly sessionUpdate: 'permission_update';
  readonly toolCallId: string;
  readonly permission: PendingPermission | null;
}

/** Cancels all unfinished tool calls. Created by the client when the user cancels, or when a turn ends. */
export interface UnfinishedCancelled {
  readonly sessionUpdate: 'unfinished_cancelled';
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

/**
 * The output of a command that has ended. It is ignored if the terminal has output already. Created by the client: some
 * agents of version 1 do not stream the output of short commands, and report it with the end of the tool call only.
 */
export interface TerminalOutputReported {
  readonly sessionUpdate: 'terminal_output_reported';
  readonly terminalId: string;
  /** Base64. */
  readonly data: string;
}

/**
 * The client started a command for the agent. Takes the place of a terminal with this id. Created by the client, like
 * all updates of a terminal that the client runs: updates of the agent do not change such a terminal.
 */
export interface TerminalStarted {
  readonly sessionUpdate: 'terminal_started';
  readonly terminalId: string;
  readonly command: string;
  readonly argv: readonly string[] | null;
  readonly cwd: string | null;
}

/** Appends output to a terminal that the client runs. Created by the client. */
export interface TerminalPrinted {
  readonly sessionUpdate: 'terminal_printed';
  readonly terminalId: string;
  readonly text: string;
}

/** The output of a terminal that the client runs, as the client answered it to the agent. Created by the client. */
export interface TerminalRead {
  readonly sessionUpdate: 'terminal_read';
  readonly terminalId: string;
  readonly output: string;
  /** Whether the beginning of the output is missing. */
  readonly truncated: boolean;
}

/** The command of a terminal that the client runs has ended. Created by the client. */
export interface TerminalExited {
  readonly sessionUpdate: 'terminal_exited';
  readonly terminalId: string;
  readonly exitStatus: ProcessExit;
}

/** Adds or replaces a plan. A plan of an unknown type also replaces the one with its id. */
export interface PlanUpdate extends UpdateMeta {
  readonly sessionUpdate: 'plan_update';
  readonly plan:
    | ({
        readonly type: 'items';
        readonly planId: string;
        readonly entries: readonly PlanEntry[];
      } & UpdateMeta)
    | { readonly type: `_${string}`; readonly planId: string; readonly [key: string]: unknown };
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

/** Replaces the slash commands. */
export interface AvailableCommandsUpdate extends UpdateMeta {
  readonly sessionUpdate: 'available_commands_update';
  readonly availableCommands: readonly SlashCommand[];
}

/** Changes the mode. */
export interface CurrentModeUpdate extends UpdateMeta {
  readonly sessionUpdate: 'current_mode_update';
  readonly currentModeId: string;
}

/** Replaces the modes, as reported when the session was opened. Created by the client. */
export interface ModesUpdate {
  readonly sessionUpdate: 'modes_update';
  readonly modes: SessionModes | null;
}

/** The models that a session was opened with. Made by the client. */
export interface ModelsUpdate {
  readonly sessionUpdate: 'models_update';
  readonly models: SessionModels | null;
}

/** A turn failed, or was interrupted. Made by the client. */
export interface TurnFailed {
  readonly sessionUpdate: 'turn_failed';
  readonly cause: 'failed' | 'interrupted';
  readonly reason: string;
  readonly code?: number;
}

/** Entries of a replay that were not in the conversation. Made by the client. */
export interface HistoryAdded {
  readonly sessionUpdate: 'history_added';
  readonly entries: readonly ConversationEntry[];
  /** The terminals that these entries show. */
  readonly terminals?: readonly ConversationTerminal[];
  /** Keys of entries that an earlier update of the same replay added. The new ones take their place. */
  readonly replaces?: readonly string[];
}

/** Changes or adds a session that works for this one. Omitted fields keep their value, `null` clears them. */
export interface SubagentUpdate extends UpdateMeta {
  readonly sessionUpdate: 'subagent_update';
  /** The id of the subagent's session. */
  readonly sessionId: string;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly cwd?: string | null;
  readonly additionalDirectories?: readonly string[] | null;
  readonly capabilities?: CancelCapability | null;
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

/** Replaces the usage. An omitted `cost` keeps the cost. */
export interface UsageUpdate extends UpdateMeta {
  readonly sessionUpdate: 'usage_update';
  /** Tokens in the context. */
  readonly used: number;
  /** Maximum number of tokens in the context. */
  readonly size: number;
  readonly cost?: UsageCost | null;
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

/** Wraps an update of an unknown kind. */
export function unknownUpdate(update: JsonObject): UnknownUpdate {
  return { sessionUpdate: '_unknown', update };
}

/** The updates of a terminal that the client runs. */
export type ClientTerminalUpdate = TerminalStarted | TerminalPrinted | TerminalRead | TerminalExited;

/** The known updates, independent of the protocol version. */
export type KnownUpdate =
  | MessageChunk
  | MessageUpdate
  | SessionMessageUpdate
  | SessionMessageChunk
  | PromptSubmitted
  | PromptSettled
  | ToolCallAnnounced
  | ToolCallUpdate
  | ToolCallContentChunk
  | PermissionUpdate
  | UnfinishedCancelled
  | TerminalUpdate
  | TerminalOutputChunk
  | TerminalOutputReported
  | ClientTerminalUpdate
  | PlanUpdate
  | SolePlanUpdate
  | PlanRemoved
  | StateUpdate
  | AvailableCommandsUpdate
  | CurrentModeUpdate
  | ModesUpdate
  | ModelsUpdate
  | TurnFailed
  | HistoryAdded
  | SubagentUpdate
  | ReplayComplete
  | ConfigOptionUpdate
  | SessionInfoUpdate
  | UsageUpdate
  | NoticeUpdate
  | CompactionUpdate
  | CompactionSummaryChunk;

/**
 * An update of a conversation: the updates of version 2, to which version 1 is normalized, and the updates that the
 * client creates. The tags are those of the protocol.
 */
export type ConversationUpdate = KnownUpdate | UnknownUpdate;
