import type { JsonObject } from '../json.ts';
import type { ContentBlock } from './content.ts';

/** What a tool call does, for choosing an icon. Unknown kinds are kept: show them as `other`. */
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

/** Where a tool call stands. An unknown status is kept: treat it as still in progress. */
export type ToolCallStatus =
  | 'pending'
  | 'in_progress'
  | 'paused'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | (string & {});

/** One block of ordinary content produced by a tool. */
export interface ToolCallBlock {
  readonly type: 'content';
  readonly content: ContentBlock;
  readonly _meta?: JsonObject | null;
}

/** One file that a diff touches. */
export interface FileChange {
  readonly operation: 'add' | 'delete' | 'modify' | 'move' | 'copy' | (string & {});
  /** Absolute, in the syntax of the agent's machine. */
  readonly path: string;
  /** Where the file was before a `move` or a `copy`. */
  readonly oldPath?: string;
  /** The whole text before; `null` where the file is new. Version 1 only. */
  readonly oldText?: string | null;
  /** The whole text after. Version 1 only. */
  readonly newText?: string;
  readonly fileType?: string | null;
  readonly mimeType?: string | null;
  readonly _meta?: JsonObject | null;
}

/**
 * Files changed by a tool. Version 1 gives the texts before and after on each change, version 2 one patch for all.
 */
export interface Diff {
  readonly type: 'diff';
  readonly changes: readonly FileChange[];
  readonly patch: { readonly format: string; readonly text: string } | null;
  readonly _meta?: JsonObject | null;
}

/** A terminal to show in place; its state is `conversation.terminals[terminalId]`, if the agent owns it. */
export interface TerminalReference {
  readonly type: 'terminal';
  readonly terminalId: string;
  readonly _meta?: JsonObject | null;
}

/** Tool output of a type this library does not know, kept as it came. */
export interface UnknownToolCallContent {
  readonly type: `_${string}`;
  readonly [key: string]: unknown;
}

/** One item of what a tool call produced. */
export type ToolCallContent = ToolCallBlock | Diff | TerminalReference | UnknownToolCallContent;

/** A file that a tool call works on, for following along. */
export interface FileLocation {
  readonly path: string;
  /** Counted from 1. */
  readonly line?: number | null;
  readonly _meta?: JsonObject | null;
}

/** What a client may do with one tool call or terminal, as the agent says for that one now. */
export interface CancelCapability {
  readonly cancel?: JsonObject | null;
  readonly _meta?: JsonObject | null;
}
