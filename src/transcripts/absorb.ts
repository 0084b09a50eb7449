import { textOf } from '../conversation/select.ts';
import type { Conversation, ConversationEntry } from '../model/conversation.ts';
import type { ReadRecord } from './format.ts';
import { mergeConversations } from './merge.ts';
import type { TranscriptStorage } from './storage.ts';
import { readRecords, wholeConversation } from './whole.ts';
import { isGone } from './writer.ts';

/** What a recording finds of its session in the storage. */
export interface Absorbed {
  /** What the recording has, with what only earlier records have. */
  readonly conversation: Conversation;
  /** The records that are not needed beside this conversation. */
  readonly includes: readonly string[];
  /** The records of the same recording that could not be continued. */
  readonly broken: readonly string[];
  /** Whether earlier records have something that the recording lacks. */
  readonly isMore: boolean;
  /** When the saved conversation changed last, if the recording has nothing beyond it. */
  readonly savedAt: string | undefined;
}

/** The writers of the recording that asks. */
export interface OwnWriters {
  /** The record that it writes, and the writers of the records whose content this has. */
  readonly current: { readonly writer: string; readonly includes: readonly string[] } | undefined;
  readonly earlier: ReadonlySet<string>;
  readonly broken: ReadonlySet<string>;
}

/**
 * Compares a conversation with the records of a transcript that no program writes any more. Records that a program may
 * still write stay as they are: a reader joins them.
 */
export async function absorb(
  storage: TranscriptStorage,
  id: string,
  conversation: Conversation,
  own: OwnWriters,
): Promise<Absorbed> {
  const stored = await storage.read(id);
  const broken = stored.map(({ writer }) => writer).filter((writer) => own.broken.has(writer));
  // What the recording writes itself is known.
  const others = stored.filter(({ writer }) => writer !== own.current?.writer && !own.broken.has(writer));
  const { records, included } = readRecords(others, own.current?.includes);
  const isOver = ({ header: { writer, process }, isEnded }: ReadRecord) =>
    isEnded || own.earlier.has(writer) || isGone(writer, process);
  const over = records.filter(isOver);
  const saved = wholeConversation(over);
  const includes = [...over.map(({ header }) => header.writer), ...included];
  if (!saved) return { conversation, includes, broken, isMore: false, savedAt: undefined };
  const merged = isBeginOf(saved.entries, conversation.entries)
    ? conversation
    : mergeConversations(saved, conversation);
  const isSame = saved.entries.length === conversation.entries.length && merged === conversation;
  return {
    conversation: merged,
    includes,
    broken,
    isMore: merged !== conversation,
    savedAt: isSame ? over.map(({ updatedAt }) => updatedAt).reduce((a, b) => (a > b ? a : b)) : undefined,
  };
}

/** Whether a conversation continues the saved one: the session was opened with it. */
function isBeginOf(saved: readonly ConversationEntry[], entries: readonly ConversationEntry[]): boolean {
  return saved.length <= entries.length && saved.every((entry, index) => isSameKept(entry, entries[index]));
}

/** What was under way in a saved conversation is shown as ended. */
function isSameKept(saved: ConversationEntry, entry: ConversationEntry | undefined): boolean {
  if (saved.kind !== entry?.kind || saved.key !== entry.key) return false;
  if (saved.kind !== 'message' || entry.kind !== 'message') return true;
  return saved.role === entry.role && textOf(entry).startsWith(textOf(saved));
}
