import type { ActivityMessage } from '@ag-ui/client';
import type { JsonValue } from '../../core/base/json.ts';
import type { UnknownContent } from '../../core/model/content.ts';
import type { PendingPermission } from '../../core/model/permission.ts';
import type { TerminalExitStatus } from '../../core/model/session.ts';
import type { ToolCallDiff, ToolCallLocation, ToolCallStatus, ToolKind } from '../../core/model/tool-call.ts';
import type { AcpContentPart } from './parts.ts';

/** The output of a command, in a tool call. */
export interface TerminalActivity {
  readonly type: 'terminal';
  readonly terminalId: string;
  /** `null` if the agent does not report it. */
  readonly command: string | null;
  readonly cwd: string | null;
  /** The texts one after the other are the output. After the end of a run it is one text. */
  readonly output: readonly string[];
  /** How many bytes were dropped from the start of the output. */
  readonly droppedBytes: number;
  /** `null` while the command runs. */
  readonly exitStatus: TerminalExitStatus | null;
}

/** An item that a tool call shows. */
export type ToolCallOutput =
  | { readonly type: 'content'; readonly part: AcpContentPart }
  | ToolCallDiff
  | TerminalActivity
  | { readonly type: 'session'; readonly sessionId: string }
  | { readonly type: 'unknown'; readonly content: UnknownContent };

/** What a tool call has besides its name, arguments and result. */
export interface ToolCallActivity {
  readonly toolCallId: string;
  readonly title: string | null;
  readonly kind: ToolKind;
  readonly status: ToolCallStatus;
  /** Content, diffs, terminals and sessions, in the agent's order. */
  readonly output: readonly ToolCallOutput[];
  readonly locations: readonly ToolCallLocation[];
  /** The question that is open, with all its options. `null` if there is none. */
  readonly permission: PendingPermission | null;
  /** The tool's own result. `null` if the agent does not report it. */
  readonly rawOutput: JsonValue;
}

/** A turn that failed. `cause` is `interrupted` if the agent's process or the connection ended. */
export interface TurnFailureActivity {
  readonly cause: 'failed' | 'interrupted';
  readonly reason: string;
  /** The code of the JSON-RPC error. `null` if there was none. */
  readonly code: number | null;
}

/**
 * The content of each activity message that this library makes, by its `activityType`.
 *
 * @see https://docs.ag-ui.com/concepts/messages
 */
export interface AcpActivities {
  readonly 'acp.toolCall': ToolCallActivity;
  readonly 'acp.turnFailure': TurnFailureActivity;
}

/** The type of an activity message. */
export type AcpActivityType = keyof AcpActivities;

/** An activity message. */
export function activity<T extends AcpActivityType>(
  id: string,
  activityType: T,
  content: AcpActivities[T],
): ActivityMessage {
  return { id, role: 'activity', activityType, content };
}
