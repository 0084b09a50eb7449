import type { JsonObject } from '../base/json.ts';
import type { ContentBlock, UnknownContent } from './content.ts';

/**
 * The kind of work that a tool call does. A user interface can choose an icon by it. Show an unknown kind as `other`.
 */
export type ToolKind =
  | 'read'
  | 'edit'
  | 'delete'
  | 'move'
  | 'search'
  | 'execute'
  | 'think'
  | 'fetch'
  | 'switch_mode'
  | 'other'
  | (string & {});

/** Status of a tool call. Treat an unknown status as in progress. */
export type ToolCallStatus =
  | 'pending'
  | 'in_progress'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | (string & {});

/** How far a call of a tool of the editor is. The names are those of MCP. */
export interface ToolCallProgress {
  /** Grows with each report. */
  readonly progress: number;
  /** The value of `progress` at the end, if it is known. */
  readonly total?: number | undefined;
  /** What happens now, for the user. */
  readonly message?: string | undefined;
}

/** A content block produced by a tool. */
export interface ToolCallBlock {
  readonly type: 'content';
  readonly content: ContentBlock;
  readonly _meta?: JsonObject | null;
}

/** A file changed by a diff. */
export interface FileChange {
  readonly operation: 'add' | 'delete' | 'modify' | 'move' | 'copy' | (string & {});
  /** Absolute, in the agent's path syntax. */
  readonly path: string;
  /** Path of the file before a `move` or a `copy`. */
  readonly oldPath?: string;
  /** Text before the change; `null` for a new file. Version 1 only. */
  readonly oldText?: string | null;
  /** Text after the change. Version 1 only. */
  readonly newText?: string;
  readonly fileType?: string | null;
  readonly mimeType?: string | null;
  readonly _meta?: JsonObject | null;
}

/** Files changed by a tool. Version 1 has the texts of each change, version 2 has one patch for all changes. */
export interface ToolCallDiff {
  readonly type: 'diff';
  readonly changes: readonly FileChange[];
  readonly patch: { readonly format: string; readonly text: string } | null;
  readonly _meta?: JsonObject | null;
}

/** A reference to a terminal. A terminal that the agent owns is in `conversation.terminals[terminalId]`. */
export interface TerminalReference {
  readonly type: 'terminal';
  readonly terminalId: string;
  readonly _meta?: JsonObject | null;
}

/** A reference to a session, for example to the subagent that a tool call started. */
export interface SessionReference {
  readonly type: 'session';
  readonly sessionId: string;
  readonly _meta?: JsonObject | null;
}

/** An item of the output of a tool call. */
export type ToolCallContent =
  | ToolCallBlock
  | ToolCallDiff
  | TerminalReference
  | SessionReference
  | UnknownContent;

/** A file that a tool call works on. */
export interface ToolCallLocation {
  readonly path: string;
  /** Counted from 1. */
  readonly line?: number | null;
  readonly _meta?: JsonObject | null;
}

/** What a client can do with a tool call, a terminal or a subagent. */
export interface CancelCapability {
  readonly cancel?: JsonObject | null;
  readonly _meta?: JsonObject | null;
}

/** The statuses with which agents end their tool calls. The client shows others as cancelled. */
export const endedStatuses: ReadonlySet<string> = new Set(['completed', 'failed']);

/** Whether a tool call with this status has ended. An unknown status counts as unfinished. */
export function isToolCallFinished(status: string): boolean {
  return status === 'cancelled' || endedStatuses.has(status);
}
