import type { JsonObject } from '../json.ts';

// What a session of the demo agent remembers, in no protocol version. These are type aliases and not interfaces,
// because only aliases are assignable to `JsonObject`, and all of this is written to disk as JSON.

export type Role = 'user' | 'agent' | 'thought';

/** A content block. The kinds this agent takes and sends are written alike in both versions. */
export type Block = JsonObject;

export type Message = {
  readonly step: 'message';
  readonly role: Role;
  readonly messageId: string;
  readonly content: readonly Block[];
};

/** A command that the agent ran, with all it printed. */
export type CommandRun = {
  readonly type: 'command';
  readonly terminalId: string;
  readonly command: string;
  readonly cwd: string;
  readonly output: string;
  /** `null` while it runs, and where it was ended before it was done. */
  readonly exitCode: number | null;
};

export type FileEdit = {
  readonly type: 'edit';
  readonly path: string;
  /** `null` where the file is new. */
  readonly oldText: string | null;
  readonly newText: string;
};

export type ToolOutput = { readonly type: 'block'; readonly block: Block } | FileEdit | CommandRun;

export type ToolCallStatus = 'pending' | 'in_progress' | 'completed' | 'failed' | 'cancelled';

export type ToolCall = {
  readonly step: 'tool_call';
  readonly toolCallId: string;
  readonly name: string;
  readonly title: string;
  readonly kind: 'read' | 'edit' | 'delete' | 'search' | 'execute';
  readonly status: ToolCallStatus;
  readonly locations: readonly { readonly path: string; readonly line?: number }[];
  readonly content: readonly ToolOutput[];
  readonly rawInput: JsonObject;
  readonly rawOutput?: JsonObject;
};

export type PlanEntry = {
  readonly content: string;
  readonly priority: 'high' | 'medium' | 'low';
  readonly status: 'pending' | 'in_progress' | 'completed';
};

export type Plan = {
  readonly step: 'plan';
  readonly planId: string;
  readonly entries: readonly PlanEntry[];
};

/** One entry of a session's history. */
export type Step = Message | ToolCall | Plan;

export type Mode = 'ask' | 'auto';

export type Settings = {
  /** Whether the agent asks before it changes a file. */
  readonly mode: Mode;
  /** Whether the agent shows what it thinks. */
  readonly thoughts: boolean;
};

export type Usage = {
  /** Tokens in the context now. */
  readonly used: number;
  /** Tokens that the context can hold. */
  readonly size: number;
  readonly cost: { readonly amount: number; readonly currency: string };
};

/** A session as it lies on disk. */
export type StoredSession = {
  readonly sessionId: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly title: string | null;
  /** ISO 8601, UTC. */
  readonly updatedAt: string;
  readonly settings: Settings;
  readonly usage: Usage | null;
  readonly steps: readonly Step[];
};

export const initialSettings: Settings = { mode: 'ask', thoughts: true };

export function text(value: string): Block {
  return { type: 'text', text: value };
}
