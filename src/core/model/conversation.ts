import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ContentBlock, UnknownContent } from './content.ts';
import type { PendingPermission } from './permission.ts';
import type { Plan } from './plan.ts';
import type {
  BackgroundWork,
  ConfigOption,
  SessionModels,
  SessionModes,
  SlashCommand,
  TerminalExitStatus,
  TurnUsage,
  UsageCost,
} from './session.ts';
import type {
  CancelCapability,
  ToolCallContent,
  ToolCallLocation,
  ToolCallProgress,
  ToolCallStatus,
  ToolKind,
} from './tool-call.ts';

/**
 * Where an entry came from: a replay of the history, the live session, or a local prompt that the agent has not
 * confirmed.
 */
export type EntryOrigin = 'replay' | 'live' | 'local';

/**
 * The state of a session as an editor shows it. Plain, frozen, JSON-safe data, folded from the agent's updates.
 *
 * An update that changes nothing returns the same object. Parts that an update did not change keep their identity, so
 * compare with `===` to find what must be drawn again.
 */
export interface Conversation {
  readonly sessionId: string;
  /** The transcript, in the order in which the entries first appeared. Entries do not move. */
  readonly entries: readonly ConversationEntry[];
  /** The plans, in the order in which they first appeared. */
  readonly plans: readonly Plan[];
  /** The commands of the agent, and those that the client runs for it, by `terminalId`. */
  readonly terminals: Readonly<Record<string, ConversationTerminal>>;
  /** What the session is doing, and how its last turn ended. */
  readonly activity: SessionActivity;
  /** Title of the session, and when it last changed, in ISO 8601. `null` until the agent reports it. */
  readonly info: { readonly title: string | null; readonly updatedAt: string | null };
  /** `null` until the agent reports it. */
  readonly usage: SessionUsage | null;
  /** The slash commands that a prompt can start with, and the skills that a block of a prompt can invoke. */
  readonly commands: readonly SlashCommand[];
  /** Config options and modes. Read both with `settingsOf`. */
  readonly configOptions: readonly ConfigOption[];
  readonly modes: SessionModes | null;
  /** The models to choose from. Absent if the agent lists none, or has a config option for them. */
  readonly models?: SessionModels | null;
  /**
   * The prompts that the agent predicts, the most likely first. Empty if it predicts nothing, and from the
   * next prompt on. They are not part of the transcript. Agents send them to a client that connects with
   * `promptSuggestions: true`.
   *
   * @experimental
   */
  readonly suggestions: readonly PromptSuggestion[];
  /** `_meta` of the session. */
  readonly meta: JsonObject | null;
  /** The sessions that work for this one, in the order in which they first appeared. Absent if there are none. */
  readonly subagents?: readonly SubagentInfo[];
  /**
   * The positions at which the agent can act, in the order in which they first appeared. Absent if there are none. Agents of
   * version 1 send them to a client that connects with `cursors: true`.
   *
   * @experimental
   */
  readonly cursors?: readonly SessionCursor[];
  /**
   * The messages of the user that are not in {@link Conversation.entries} yet, oldest first: the messages of
   * `session.queue` and `session.steer`. Absent if there are none.
   */
  readonly pendingMessages?: readonly PendingMessage[];
}

/**
 * A prompt that the agent suggests. Show it in an empty input, and send it only when the user has chosen it.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/prompt-suggestions
 */
export interface PromptSuggestion {
  /** What to send as the prompt: texts and links to resources. */
  readonly prompt: readonly ContentBlock[];
  readonly meta: JsonObject | null;
}

/**
 * A position in a session, before or after something that the conversation has.
 *
 * @experimental
 * @see https://agentclientprotocol.com/rfds/session-cursors
 */
export interface SessionCursor {
  /** Unique in the session. */
  readonly cursorId: string;
  /** Where the cursor is. It never changes. */
  readonly anchor: CursorAnchor;
  /** The calls that take the cursor now. `null`: none. */
  readonly capabilities: CursorCapabilities | null;
  readonly meta: JsonObject | null;
}

/** The calls that take a cursor. @experimental */
export interface CursorCapabilities {
  /** An object: `forkSession` can copy the session up to the cursor. */
  readonly fork?: JsonObject | null;
  readonly _meta?: JsonObject | null;
}

/** What a cursor is next to. @experimental */
export type CursorAnchor =
  | CursorMessageAnchor<'user_message'>
  | CursorMessageAnchor<'agent_message'>
  | CursorMessageAnchor<'agent_thought'>
  | CursorMessageAnchor<'session_message'>
  | CursorToolCallAnchor
  | CursorCompactionAnchor
  | UnknownContent;

/** On which side of its anchor a cursor is. @experimental */
export interface CursorPlace {
  /** `before`: the history ends before the anchor. `after`: it ends with it. The place of any other value is not known. */
  readonly position: 'before' | 'after' | (string & {});
  readonly _meta?: JsonObject | null;
}

/** A cursor is next to a message. @experimental */
export interface CursorMessageAnchor<Type extends string> extends CursorPlace {
  readonly type: Type;
  readonly messageId: string;
}

/** A cursor is next to a tool call. @experimental */
export interface CursorToolCallAnchor extends CursorPlace {
  readonly type: 'tool_call';
  readonly toolCallId: string;
}

/** A cursor is next to a compaction. @experimental */
export interface CursorCompactionAnchor extends CursorPlace {
  readonly type: 'compaction';
  readonly compactionId: string;
}

/** A message of the user that waits. It becomes a user message in the transcript, or it is revoked. */
export interface PendingMessage {
  /** Unique in the session. `session.revoke` takes it. It is not the key of the entry that the message becomes. */
  readonly id: string;
  /** `queue`: the client sends it as a prompt when nothing runs. `steer`: it is for the turn that runs. */
  readonly kind: 'queue' | 'steer';
  /**
   * - `held`: not sent yet
   * - `sending`: sent, and the agent has not answered yet
   * - `accepted`: the agent has it, and has not reported it as part of the conversation yet
   */
  readonly state: 'held' | 'sending' | 'accepted';
  readonly content: readonly ContentBlock[];
  /** The id that the agent gave the message. `null` if it gave none, or not yet. */
  readonly messageId: string | null;
}

/**
 * A session that works for another one, as the agent describes it.
 *
 * @see https://agentclientprotocol.com/protocol/v2/subagents
 */
export interface SubagentInfo {
  readonly sessionId: string;
  /** The name to show. `null` if the agent gives none. */
  readonly title: string | null;
  /** What the subagent is for. `null` if the agent does not say it. */
  readonly description: string | null;
  /** Working directory of the subagent. `null`: that of the session that it works for. */
  readonly cwd: string | null;
  /** `null`: those of the session that it works for. */
  readonly additionalDirectories: readonly string[] | null;
  /** What the client can do with the subagent. `null`: nothing. */
  readonly capabilities: CancelCapability | null;
  readonly meta: JsonObject | null;
}

/** An item of the transcript. Later versions can add kinds: ignore a kind that you do not know. */
export type ConversationEntry =
  | MessageEntry
  | SessionMessageEntry
  | ToolCallEntry
  | CompactionEntry
  | TurnFailureEntry
  | UnknownEntry;

/** A message from the user or the agent, or a thought from the agent. */
export interface MessageEntry {
  /** A message of the user or the agent, or a thought: `role` says which. */
  readonly kind: 'message';
  /** Stable and unique in the conversation. Use it as the key of a list in a user interface. */
  readonly key: string;
  readonly role: 'user' | 'agent' | 'thought';
  /** `null` if a version 1 agent did not send an id. */
  readonly messageId: string | null;
  /**
   * The blocks of the message. Neighboring plain texts are one block, in whichever form the agent sent them. A text
   * with annotations or metadata is a block of its own.
   */
  readonly content: readonly ContentBlock[];
  readonly origin: EntryOrigin;
  readonly meta: JsonObject | null;
}

/**
 * A message from one session to another, for example the task that a session gives to a subagent. It is in the
 * transcript of the sender and in that of the recipient, under an id of each.
 *
 * @see https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#session-directed-messages
 */
export interface SessionMessageEntry {
  /** A message between sessions. */
  readonly kind: 'sessionMessage';
  /** Stable and unique in the conversation. */
  readonly key: string;
  readonly messageId: string;
  /** The session that sent the message. `null` if the agent does not report it. */
  readonly senderSessionId: string | null;
  /** The session that the message is for. `null` if the agent does not report it. */
  readonly recipientSessionId: string | null;
  /** The id of the same message in the transcript of the sender. `null` if the agent does not report it. */
  readonly senderMessageId: string | null;
  /** The id of the same message in the transcript of the recipient. `null` if the agent does not report it. */
  readonly recipientMessageId: string | null;
  /**
   * The blocks of the message. Neighboring plain texts are one block, in whichever form the agent sent them. A text
   * with annotations or metadata is a block of its own.
   */
  readonly content: readonly ContentBlock[];
  readonly origin: EntryOrigin;
  readonly meta: JsonObject | null;
}

/**
 * A tool call of the agent, with its status and output.
 *
 * @see https://agentclientprotocol.com/protocol/tool-calls
 */
export interface ToolCallEntry {
  /** A tool call. What the tool does is its `toolKind`. */
  readonly kind: 'toolCall';
  readonly key: string;
  /** The id that the agent gave the call. It can give the same id to several calls: the `key` tells them apart. */
  readonly toolCallId: string;
  readonly title: string | null;
  readonly toolKind: ToolKind;
  /** Name of the tool. `null` if the agent does not report it. */
  readonly name: string | null;
  readonly status: ToolCallStatus;
  /** Output of the tool: blocks, diffs, terminals. */
  readonly content: readonly ToolCallContent[];
  /** The files that the tool works on. */
  readonly locations: readonly ToolCallLocation[];
  /** Arguments of the tool. Absent if the agent does not report them. */
  readonly rawInput?: JsonValue;
  /** Result of the tool. Absent if the agent does not report it. */
  readonly rawOutput?: JsonValue;
  /** How far a tool of the editor is. Absent unless its call runs, it said so, and the agent names the tool call. */
  readonly progress?: ToolCallProgress;
  /** What the client can do with this tool call. */
  readonly capabilities: CancelCapability | null;
  /** The open permission request; `null` if there is none. */
  readonly permission: PendingPermission | null;
  readonly origin: EntryOrigin;
  readonly meta: JsonObject | null;
}

/** A compaction: the agent replaced its context with a summary. */
export interface CompactionEntry {
  /** The agent replaced its context with a summary. */
  readonly kind: 'compaction';
  readonly key: string;
  readonly compactionId: string;
  readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled' | (string & {});
  readonly summary: readonly ContentBlock[];
  readonly error: string | null;
  readonly origin: EntryOrigin;
  readonly meta: JsonObject | null;
}

/**
 * A turn that failed, or that the end of the agent's process interrupted. It is after the other entries of the turn.
 */
export interface TurnFailureEntry {
  /** A turn failed, or was interrupted. */
  readonly kind: 'turnFailure';
  readonly key: string;
  /** `failed`: the agent reported an error. `interrupted`: its process or the connection ended. */
  readonly cause: 'failed' | 'interrupted';
  /** The reason in one line: the agent's message, or how its process ended. */
  readonly reason: string;
  /** The code of the JSON-RPC error. `null` if there was none. */
  readonly code: number | null;
  readonly origin: EntryOrigin;
}

/** An update of an unknown kind, unchanged. */
export interface UnknownEntry {
  /** What a later version of the protocol adds: show it, or ignore it. */
  readonly kind: 'unknown';
  readonly key: string;
  /** Value of `sessionUpdate`. */
  readonly tag: string;
  readonly raw: JsonObject;
  readonly origin: EntryOrigin;
}

/** A command with its output. The agent runs it, or the client runs it for the agent. */
export interface ConversationTerminal {
  readonly terminalId: string;
  /**
   * Who runs the command: the agent, or the client for an agent of version 1. Only `session.cancelTerminal` ends a
   * command of the agent. The handlers in `terminals` end one of the client.
   */
  readonly owner: 'agent' | 'client';
  /**
   * The command with its arguments as one line, to show it. `null` if the agent does not report it. The environment is
   * not part of it.
   */
  readonly command: string | null;
  /** The program and its arguments, one by one. `null` if the agent sent the command as one text. */
  readonly argv: readonly string[] | null;
  /** The working directory. `null` if the agent does not name it. */
  readonly cwd: string | null;
  /**
   * Output. Bytes that are not UTF-8 are U+FFFD. It contains the escape sequences that the program wrote: remove them with
   * `plainText`, or interpret them, before you show it.
   */
  readonly output: string;
  /**
   * Number of bytes dropped from the start of the output to stay within the limit, as UTF-8. At least that many, where the
   * client knows the output only from truncated answers to the agent.
   */
  readonly droppedBytes: number;
  /** The bytes of a last character whose rest has not arrived, three at most. Absent if the output ends with a character. */
  readonly incompleteBytes?: readonly number[];
  /** How the command ended, with two `null` if that is not known. `null` while it runs. */
  readonly exitStatus: TerminalExitStatus | null;
  /** Size in characters. `null` if the agent does not report it. */
  readonly size: { readonly cols: number; readonly rows: number } | null;
  /** What the client can do with this terminal. */
  readonly capabilities: CancelCapability | null;
  readonly meta: JsonObject | null;
}

/** What a session is doing. Treat an unknown state as busy. */
export interface SessionActivity {
  readonly state: 'idle' | 'running' | 'requires_action' | (string & {});
  /** Why the last turn ended. `null` during a turn, and if the agent did not report it. */
  readonly stopReason: string | null;
  /** The error, if `stopReason` is `error`. */
  readonly error?: JsonObject;
  /** The tokens of the last turn. Absent during a turn, and if the agent did not report them. @experimental */
  readonly usage?: TurnUsage;
  /** Background work. Absent if the agent does not report background work; `[]` if there is none at present. */
  readonly background?: readonly BackgroundWork[];
  /** `_meta` of the update that reported this state. */
  readonly _meta?: JsonObject;
}

/** Tokens in the agent's context, their maximum, and the cost of the session. */
export interface SessionUsage {
  readonly used: number;
  readonly size: number;
  readonly cost: UsageCost | null;
  /** `_meta` of the last update, and the limits of the plan of an earlier one. `rateLimitsOf` reads them. */
  readonly _meta?: JsonObject;
}
