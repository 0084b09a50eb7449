import type { UIMessage } from 'ai';
import type { ContentBlock, TextContent } from '../../core/model/content.ts';
import type {
  CompactionEntry,
  Conversation,
  ConversationTerminal,
  SessionMessageEntry,
  SessionUsage,
  SubagentInfo,
  ToolCallEntry,
  TurnFailureEntry,
  UnknownEntry,
} from '../../core/model/conversation.ts';
import type { PendingPermission } from '../../core/model/permission.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { TurnUsage } from '../../core/model/session.ts';

/** A permission request, with all its options. */
export interface AcpPermission extends PendingPermission {
  /** The `id` for `addToolApprovalResponse`. `null`: something else answers it, such as a rule of the editor. */
  readonly id: string | null;
  /** The title or the id of the subagent that asks. `null`: the session itself asks. */
  readonly subagent: string | null;
}

/**
 * What AI SDK's tool parts have no place for. The part follows the tool part with the same `toolCallId`: that of the agent,
 * or the key of the entry if an earlier call has that id.
 */
export interface AcpToolCall
  extends Pick<
    ToolCallEntry,
    'toolCallId' | 'toolKind' | 'status' | 'content' | 'locations' | 'capabilities' | 'meta'
  > {
  /** The terminals that `content` refers to, in its order. */
  readonly terminals: readonly ConversationTerminal[];
  /** The open permission request; `null` if there is none. */
  readonly permission: AcpPermission | null;
}

/** What a session has beside its transcript, its plans, its usage and its subagents. `settingsOf` takes it. */
export type AcpSessionState = Pick<
  Conversation,
  'sessionId' | 'info' | 'commands' | 'configOptions' | 'modes' | 'models' | 'suggestions' | 'meta'
>;

/** The data parts of a message, by their type without `data-`. */
export type AcpDataParts = {
  /** Its `id` is the `toolCallId`. */
  toolCall: AcpToolCall;
  /** A plan. Its `id` is the `planId`. */
  plan: Plan;
  usage: SessionUsage;
  session: AcpSessionState;
  /** A subagent. Its `id` is the `sessionId`. Show its transcript with `toUIMessages(subagent.conversation)`. */
  subagent: SubagentInfo;
  /** A message between sessions. Its `id` is the key of the entry, as with the parts below. */
  sessionMessage: Omit<SessionMessageEntry, 'kind' | 'key' | 'origin'>;
  compaction: Omit<CompactionEntry, 'kind' | 'key' | 'origin'>;
  turnFailure: Omit<TurnFailureEntry, 'kind' | 'key' | 'origin'>;
  /** An update that this library does not know. */
  unknown: Omit<UnknownEntry, 'kind' | 'key' | 'origin'>;
  /** A block of a message that this library does not know, or whose address can run a script: show no link to it. */
  content: Exclude<ContentBlock, TextContent>;
};

/** How a turn ended. Absent while it runs, and in messages of earlier turns. */
export interface AcpMessageMetadata {
  readonly stopReason: string | null;
  /** The tokens of the turn. Absent if the agent did not report them. */
  readonly usage?: TurnUsage;
}

/**
 * A message of AI SDK with what ACP has beyond it, as typed data parts.
 *
 * @example
 * ```ts
 * const messages: AcpUIMessage[] = toUIMessages(session.conversation);
 * ```
 */
export type AcpUIMessage = UIMessage<AcpMessageMetadata, AcpDataParts>;

/** A part of a message. */
export type AcpPart = AcpUIMessage['parts'][number];
