import type { ConversationPatch } from '../../../core/conversation/patch.ts';
import type { AgentIdentity } from '../../../records/transcripts/transcript.ts';
import type { connectionItem } from './connection-item.ts';
import type { Note, NoteType } from './notes.ts';

/**
 * What happened on a connection. Node makes a timeline of items and what each of them changed, with the library's own code,
 * for a live agent and for a recording alike. It is JSON. The index of an item is its position among the items, and never
 * changes.
 */
export type TimelineItem =
  | MessageItem
  | NoteItem<'stderr'>
  | NoteItem<'process'>
  | NoteItem<'diagnostic'>
  | ConnectionItem
  | TranscriptItem;

interface ItemBase {
  /** Milliseconds since the first item. */
  readonly t: number;
}

/** A record of the traffic, without its secrets. */
export interface MessageItem extends ItemBase {
  readonly type: 'message';
  /** `in`: from the agent. `out`: to the agent. */
  readonly dir: 'in' | 'out';
  /** The message on the wire. A list where the agent sent several messages in one. */
  readonly msg: unknown;
}

/** What a recording has as a note, such as what the agent wrote to stderr. */
type NoteItem<Type extends NoteType> = ItemBase & Note<Type> & { readonly type: Type };

/** What an agent offered in its answer to `initialize`. There is one for each start of the agent. */
export type ConnectionItem = ReturnType<typeof connectionItem>;

/** A saved transcript, as its file describes it. It is the only item of its timeline: there are no messages. */
export interface TranscriptItem extends ItemBase {
  readonly type: 'transcript';
  /** `null` if the file does not say it. */
  readonly agent: AgentIdentity | null;
  /** The directory of the session. `null` if the file does not say it. */
  readonly cwd: string | null;
  /** When the conversation changed last, in ISO 8601. `null` if the file does not say it. */
  readonly updatedAt: string | null;
  /** Whether a part of the file cannot be read. */
  readonly isDamaged: boolean;
}

/** What an item changed in one conversation. */
export interface ConversationChange {
  /**
   * The conversation: 0 for the first one of the timeline, and so on. A new session with the id of an earlier one is
   * another conversation.
   */
  readonly conversation: number;
  /** For `applyPatch` of `/conversation`. The first one of a conversation leads from nothing. */
  readonly patch: ConversationPatch;
  /** The keys of the entries that were added or changed, in the order of the transcript. */
  readonly entries: readonly string[];
}

/** A timeline as it is saved, and as the page reads it from its file. */
export interface TimelineFile {
  readonly format: 1;
  readonly title: string;
  readonly lines: readonly TimelineLine[];
}

/**
 * A line of a timeline. Items come in order. What an item changes follows it, before the changes of the next item. Any item
 * can change a conversation, several times.
 */
export type TimelineLine =
  | { readonly item: TimelineItem }
  | { readonly index: number; readonly changes: readonly ConversationChange[] };
