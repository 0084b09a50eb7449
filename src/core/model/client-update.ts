import type { ProcessExit } from '../base/process-exit.ts';
import type { ContentBlock } from './content.ts';
import type { ConversationEntry, ConversationTerminal, PendingMessage } from './conversation.ts';
import type { PendingPermission } from './permission.ts';
import type { SessionModels, SessionModes } from './session.ts';
import type { ToolCallProgress } from './tool-call.ts';
import type { ConversationUpdate } from './update.ts';

/** A prompt that the agent has not confirmed yet. */
export interface PromptSubmitted {
  readonly sessionUpdate: 'prompt_submitted';
  /** Key of the entry. Unique in the conversation. */
  readonly key: string;
  readonly content: readonly ContentBlock[];
}

/**
 * The agent accepted or refused a prompt. A refused prompt is removed. A prompt that was
 * accepted with an id stays unconfirmed until the agent echoes it. One that was accepted without an id is confirmed
 * as sent.
 */
export interface PromptSettled {
  readonly sessionUpdate: 'prompt_settled';
  readonly key: string;
  readonly accepted: boolean;
  readonly messageId?: string | null;
}

/** Replaces the list of the messages that wait. */
export interface PendingMessagesUpdate {
  readonly sessionUpdate: 'pending_messages';
  readonly messages: readonly PendingMessage[];
}

/** Sets the open permission request of a tool call, or removes it with `null`. */
export interface PermissionUpdate {
  readonly sessionUpdate: 'permission_update';
  readonly toolCallId: string;
  readonly permission: PendingPermission | null;
  /** The value that was set, if that of one of several calls with this id is removed. Default: that of the oldest one. */
  readonly ended?: PendingPermission;
}

/** How far a tool of the editor is in a tool call; `null` when its call has ended. An unknown tool call is not added. */
export interface ToolProgressUpdate {
  readonly sessionUpdate: 'tool_progress';
  readonly toolCallId: string;
  readonly progress: ToolCallProgress | null;
}

/**
 * Cancels all unfinished tool calls, except those with a status that the agent reported live. Made when the user cancels,
 * or when a turn ends.
 */
export interface UnfinishedCancelled {
  readonly sessionUpdate: 'unfinished_cancelled';
  readonly except?: 'in_progress';
}

/**
 * The output of a command that has ended. It is ignored if the terminal has output already. Some agents of
 * version 1 do not stream the output of short commands, and report it with the end of the tool call only.
 */
export interface TerminalOutputReported {
  readonly sessionUpdate: 'terminal_output_reported';
  readonly terminalId: string;
  /** Base64. */
  readonly data: string;
}

/** A turn failed, or was interrupted. */
export interface TurnFailed {
  readonly sessionUpdate: 'turn_failed';
  readonly cause: 'failed' | 'interrupted';
  readonly reason: string;
  readonly code?: number;
}

/** Entries of a replay that were not in the conversation. */
export interface HistoryAdded {
  readonly sessionUpdate: 'history_added';
  readonly entries: readonly ConversationEntry[];
  /** The terminals that these entries show. */
  readonly terminals?: readonly ConversationTerminal[];
  /** Keys of entries that an earlier update of the same replay added. The new ones take their place. */
  readonly replaces?: readonly string[];
  /** Entries of an interrupted turn, as they are with what the agent did after it. They take the places of their keys. */
  readonly completed?: readonly ConversationEntry[];
}

/**
 * The client started a command for the agent. Takes the place of a terminal with this id. Updates of the agent do not
 * change a terminal that the client runs.
 */
export interface TerminalStarted {
  readonly sessionUpdate: 'terminal_started';
  readonly terminalId: string;
  readonly command: string;
  readonly argv: readonly string[] | null;
  readonly cwd: string | null;
}

/** Appends output to a terminal that the client runs. */
export interface TerminalPrinted {
  readonly sessionUpdate: 'terminal_printed';
  readonly terminalId: string;
  readonly text: string;
}

/** The output of a terminal that the client runs, as the client answered it to the agent. */
export interface TerminalRead {
  readonly sessionUpdate: 'terminal_read';
  readonly terminalId: string;
  readonly output: string;
  /** Whether the beginning of the output is missing. */
  readonly truncated: boolean;
}

/** The command of a terminal that the client runs has ended. */
export interface TerminalExited {
  readonly sessionUpdate: 'terminal_exited';
  readonly terminalId: string;
  readonly exitStatus: ProcessExit;
}

/** The updates of a terminal that the client runs. */
export type ClientTerminalUpdate = TerminalStarted | TerminalPrinted | TerminalRead | TerminalExited;

/**
 * The updates that only the client makes. No agent can send one: an update with such a tag becomes an `UnknownUpdate`.
 */
export type ClientUpdate =
  | PromptSubmitted
  | PromptSettled
  | PendingMessagesUpdate
  | PermissionUpdate
  | ToolProgressUpdate
  | UnfinishedCancelled
  | TerminalOutputReported
  /** Replaces the modes, as reported when the session was opened. */
  | { readonly sessionUpdate: 'modes_update'; readonly modes: SessionModes | null }
  /** The models that a session was opened with. */
  | { readonly sessionUpdate: 'models_update'; readonly models: SessionModels | null }
  | TurnFailed
  | HistoryAdded
  | ClientTerminalUpdate;

/** All that is folded into a conversation. */
export type AnyUpdate = ConversationUpdate | ClientUpdate;
