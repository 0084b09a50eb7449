import type { JsonObject, JsonValue } from '../json.ts';
import type { ContentBlock } from './content.ts';
import type { Plan } from './plan.ts';
import type { Command, ConfigOption, Cost, Modes } from './session.ts';
import type {
  CancelCapability,
  FileLocation,
  ToolCallContent,
  ToolCallStatus,
  ToolKind,
} from './tool-call.ts';
import type { BackgroundWork, PendingPermission, TerminalExitStatus } from './update.ts';

/** Where an entry came from: a replayed history, the running session, or us before the agent confirmed it. */
export type Origin = 'replay' | 'live' | 'local';

/**
 * A session as an editor shows it: plain, frozen, JSON-safe data, folded from the agent's updates.
 *
 * An update that changes nothing returns the same object, and whatever an update did not touch keeps its
 * identity, so that `===` tells what to draw again.
 */
export interface Conversation {
  readonly sessionId: string;
  /** The transcript, in order of first appearance. An entry never moves. */
  readonly entries: readonly Entry[];
  /** The agent's plans, in the order of their first appearance. */
  readonly plans: readonly Plan[];
  /** Terminals that the agent owns, by `terminalId`. */
  readonly terminals: Readonly<Record<string, Terminal>>;
  /** What the session is doing now, and how its last turn ended. */
  readonly activity: Activity;
  /** What the agent calls the session, and when it last changed, in ISO 8601. */
  readonly info: { readonly title: string | null; readonly updatedAt: string | null };
  /** `null` until the agent reports it. */
  readonly usage: Usage | null;
  /** The slash commands that a prompt may start with now. */
  readonly commands: readonly Command[];
  /** What can be set, in its two places. Read both with `settings`. */
  readonly configOptions: readonly ConfigOption[];
  readonly modes: Modes | null;
  /** The session's own `_meta`, as the agent reported it. */
  readonly meta: JsonObject | null;
}

/** One item of the transcript. A later version may have more kinds: pass over one that you do not know. */
export type Entry = MessageEntry | ToolCallEntry | CompactionEntry | UnknownEntry;

/** Something that was said by the user or the agent, or thought by the agent. */
export interface MessageEntry {
  readonly kind: 'message';
  /** Stable and unique in this conversation: use it as the key of a list in a user interface. */
  readonly key: string;
  readonly role: 'user' | 'agent' | 'thought';
  /** `null` where a version 1 agent sent none. */
  readonly messageId: string | null;
  /** What was said, block by block. Text in pieces is one block. */
  readonly content: readonly ContentBlock[];
  readonly origin: Origin;
  readonly meta: JsonObject | null;
}

/**
 * Something that the agent does: where it stands, and what came of it.
 *
 * @see https://agentclientprotocol.com/protocol/tool-calls
 */
export interface ToolCallEntry {
  readonly kind: 'toolCall';
  readonly key: string;
  readonly toolCallId: string;
  readonly title: string | null;
  readonly toolKind: ToolKind;
  /** The tool's own name, where the agent gives it. */
  readonly name: string | null;
  readonly status: ToolCallStatus;
  /** What the tool produced: blocks, diffs, terminals. */
  readonly content: readonly ToolCallContent[];
  /** The files that it works on. */
  readonly locations: readonly FileLocation[];
  /** What the tool was called with, in its own shape. Absent where the agent did not say. */
  readonly rawInput?: JsonValue;
  /** What the tool returned, in its own shape. Absent where the agent did not say. */
  readonly rawOutput?: JsonValue;
  /** What the agent lets the client do with this call now. */
  readonly capabilities: CancelCapability | null;
  /** Set while the agent waits for the user's permission. */
  readonly permission: PendingPermission | null;
  readonly origin: Origin;
  readonly meta: JsonObject | null;
}

/** Where the agent shortened its context, with the summary it goes on from. */
export interface CompactionEntry {
  readonly kind: 'compaction';
  readonly key: string;
  readonly compactionId: string;
  readonly status: 'in_progress' | 'completed' | 'failed' | 'cancelled' | (string & {});
  readonly summary: readonly ContentBlock[];
  readonly error: string | null;
  readonly origin: Origin;
  readonly meta: JsonObject | null;
}

/** An update of a kind this library does not know, as it came. */
export interface UnknownEntry {
  readonly kind: 'unknown';
  readonly key: string;
  /** What stood in `sessionUpdate`. */
  readonly tag: string;
  readonly raw: JsonObject;
  readonly origin: Origin;
}

/** A terminal that the agent owns and the editor shows. */
export interface Terminal {
  readonly terminalId: string;
  readonly command: string | null;
  readonly cwd: string | null;
  /** What it printed, one character (U+0000 to U+00FF) a byte; `terminalText` and `terminalBytes` read it. */
  readonly bytes: string;
  /** How many bytes were dropped from the front to stay within the limit. */
  readonly droppedBytes: number;
  /** How the command ended; `null` while it runs. */
  readonly exitStatus: TerminalExitStatus | null;
  /** In characters, where the agent says. */
  readonly size: { readonly cols: number; readonly rows: number } | null;
  /** What the agent lets the client do with this terminal now. */
  readonly capabilities: CancelCapability | null;
  readonly meta: JsonObject | null;
}

/** What a session is doing. Treat a state that you do not know as busy. */
export interface Activity {
  readonly state: 'idle' | 'running' | 'requires_action' | (string & {});
  /** Why the last turn ended; `null` while one runs, and where the agent did not say. */
  readonly stopReason: string | null;
  /** The agent's error, where `stopReason` is `error`. */
  readonly error?: JsonObject;
  /** Work that goes on beside the turn; absent where the agent did not report any, `[]` where it said there is none. */
  readonly background?: readonly BackgroundWork[];
}

/** How full the agent's context is, in tokens, and what the session has cost. */
export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost: Cost | null;
}
