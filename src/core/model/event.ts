import type { ContentBlock } from './content.ts';
import type {
  CompactionEntry,
  Conversation,
  ConversationTerminal,
  EntryOrigin,
  MessageEntry,
  SessionMessageEntry,
  ToolCallEntry,
  TurnFailureEntry,
  UnknownEntry,
} from './conversation.ts';
import type { PendingPermission } from './permission.ts';
import type { Plan } from './plan.ts';
import type { SessionNotice } from './session.ts';
import type { ToolCallContent } from './tool-call.ts';

/** The message that an event belongs to. */
export interface MessageReference {
  /** The key of the entry in the conversation. */
  readonly key: string;
  readonly messageId: string | null;
  readonly origin: EntryOrigin;
}

/** Text that was appended to a message: of the agent (`text`), a thought, or a message from the user. */
export type TextEvent = TextOf<'text'> | TextOf<'thought'> | TextOf<'userText'>;

/** Text that was appended to a message of one kind. */
interface TextOf<Type extends string> extends MessageReference {
  readonly type: Type;
  /** The new text only. */
  readonly text: string;
}

/** A block that is not text was appended to a message, such as an image. */
export interface ContentEvent extends MessageReference {
  readonly type: 'content';
  readonly role: MessageEntry['role'];
  readonly block: ContentBlock;
}

/** The agent replaced the content of a message with content that does not continue it. */
export interface MessageReplacedEvent {
  readonly type: 'messageReplaced';
  readonly message: MessageEntry;
}

/** A message between sessions was added or changed. */
export interface SessionMessageEvent {
  readonly type: 'sessionMessage';
  readonly message: SessionMessageEntry;
}

/** A block was appended to a message between sessions. */
export interface SessionMessageContentEvent {
  readonly type: 'sessionMessageContent';
  /** The key of the entry in the conversation. */
  readonly key: string;
  readonly messageId: string;
  readonly block: ContentBlock;
}

/** A tool call was added or changed. */
export interface ToolCallEvent {
  readonly type: 'toolCall';
  /** The tool call after the change. */
  readonly toolCall: ToolCallEntry;
  readonly isNew: boolean;
}

/** An item was appended to the output of a tool call. */
export interface ToolCallContentEvent {
  readonly type: 'toolCallContent';
  /** The key of the tool call's entry. */
  readonly key: string;
  readonly toolCallId: string;
  readonly content: ToolCallContent;
}

/** The agent asks for a permission. The handler `requestPermission` answers it. */
export interface PermissionEvent {
  readonly type: 'permission';
  readonly permission: PendingPermission;
  /** `null` if the request is not about a tool call. */
  readonly toolCall: ToolCallEntry | null;
}

/** A plan was added or changed. */
export interface PlanEvent {
  readonly type: 'plan';
  readonly plan: Plan;
}

/** A plan was removed. */
export interface PlanRemovedEvent {
  readonly type: 'planRemoved';
  readonly planId: string;
}

/** A terminal was added or changed. */
export interface TerminalEvent {
  readonly type: 'terminal';
  readonly terminal: ConversationTerminal;
}

/** Output was appended to a terminal. */
export interface TerminalOutputEvent {
  readonly type: 'terminalOutput';
  readonly terminalId: string;
  /** The new output only. A character whose bytes arrive in two parts is in the second event. */
  readonly text: string;
}

/** A compaction was added or changed. */
export interface CompactionEvent {
  readonly type: 'compaction';
  readonly compaction: CompactionEntry;
}

/** A block was appended to the summary of a compaction. */
export interface CompactionContentEvent {
  readonly type: 'compactionContent';
  readonly compactionId: string;
  readonly block: ContentBlock;
}

/** A turn failed or was interrupted. The loop of the turn throws after this event. */
export interface TurnFailureEvent {
  readonly type: 'turnFailure';
  readonly failure: TurnFailureEntry;
}

/** The agent sent an update of an unknown kind. */
export interface UnknownEvent {
  readonly type: 'unknown';
  readonly entry: UnknownEntry;
}

/** A message for the user that is not part of the transcript. */
export interface NoticeEvent {
  readonly type: 'notice';
  readonly notice: SessionNotice;
}

/** Fields of the conversation changed that are not part of the transcript, such as `usage` or `activity`. */
export interface FieldsEvent {
  readonly type: 'fields';
  /** The changed fields, with their new values. `pendingMessages` is an empty list when no message waits any more. */
  readonly changed: Partial<Omit<Conversation, 'sessionId' | 'entries' | 'plans' | 'terminals'>>;
}

/** An entry was removed, because it is the same as another one: the echo of a prompt. */
export interface EntryRemovedEvent {
  readonly type: 'entryRemoved';
  readonly key: string;
}

/** Another conversation replaces the current one: a load began or failed. Later events apply to it. */
export interface ResetEvent {
  readonly type: 'reset';
  readonly conversation: Conversation;
}

/**
 * An event of a session, in the order of the wire and independent of the protocol version. Later versions can add
 * types: ignore a type that you do not know.
 */
export type ConversationEvent =
  | TextEvent
  | ContentEvent
  | MessageReplacedEvent
  | SessionMessageEvent
  | SessionMessageContentEvent
  | ToolCallEvent
  | ToolCallContentEvent
  | PermissionEvent
  | PlanEvent
  | PlanRemovedEvent
  | TerminalEvent
  | TerminalOutputEvent
  | CompactionEvent
  | CompactionContentEvent
  | TurnFailureEvent
  | UnknownEvent
  | NoticeEvent
  | FieldsEvent
  | EntryRemovedEvent
  | ResetEvent;
