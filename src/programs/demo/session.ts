import type { JsonObject } from '../../base/json.ts';

/** A content block of the protocol, or the text of a text block. */
export type Content = string | JsonObject;

/** A message. The agent adds to the content while it streams. */
export interface Message {
  readonly type: 'user' | 'agent' | 'thought';
  readonly content: Content[];
}

export const user = (...content: Content[]): Message => ({ type: 'user', content });
export const agent = (...content: Content[]): Message => ({ type: 'agent', content });
export const thought = (...content: Content[]): Message => ({ type: 'thought', content });

/** The tasks in order. The first `done` tasks are completed, and the next one is in progress. */
export interface Plan {
  readonly type: 'plan';
  readonly tasks: readonly string[];
  readonly done: number;
}

/** A plan that is a document. */
export interface Document {
  readonly type: 'document';
  readonly path: string;
  readonly markdown: string;
}

/** A tool call without a status is completed. */
interface Progress {
  status?: 'pending' | 'failed' | 'cancelled';
}

export interface FileText extends Progress {
  readonly type: 'read' | 'delete';
  readonly path: string;
  readonly line?: number;
  /** What the tool reports. Absent if it reports nothing. */
  readonly text?: string;
}

export interface FileEdit extends Progress {
  readonly type: 'edit';
  readonly path: string;
  readonly line: number;
  readonly oldText: string;
  readonly newText: string;
}

export interface CommandRun extends Progress {
  readonly type: 'run';
  readonly command: string;
  readonly cwd: string;
  readonly output: string;
  readonly exitCode: number;
}

/** A call of a tool that the client provides. */
export interface ToolUse extends Progress {
  readonly type: 'tool';
  readonly name: string;
  readonly input: JsonObject;
  /** What the tool returned. Absent until then. */
  text?: string;
}

/** Asks the user to approve a plan. */
export interface PlanApproval extends Progress {
  readonly type: 'approve';
  /** The plan as Markdown. */
  readonly text: string;
}

export type ToolCall = FileText | FileEdit | CommandRun | ToolUse | PlanApproval;

/** One entry of a session's history, in no version of the protocol. Its number in the history is part of its id. */
export type Step = Message | Plan | Document | ToolCall;

export type Mode = 'ask' | 'auto';

/** The mode of a new session. */
export const initialMode: Mode = 'ask';

/** A session as it is stored: plain data. */
export interface Session {
  readonly sessionId: string;
  readonly cwd: string;
  additionalDirectories: readonly string[];
  title: string | null;
  /** ISO 8601, UTC. */
  updatedAt: string;
  /** Whether the agent asks before it changes a file. */
  mode: Mode;
  readonly steps: Step[];
}
