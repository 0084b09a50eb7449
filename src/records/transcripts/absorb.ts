import { textOf } from '../../core/conversation/select.ts';
import type { ConversationEntry } from '../../core/model/conversation.ts';
import type { ReadRecord, RecordHeader } from './format.ts';
import { originOf } from './origins.ts';
import type { StoredRecord, TranscriptStorage } from './storage.ts';
import { compareTimes, earliest, timeAfter } from './times.ts';
import { headerOf, recordsOfSession } from './transcript-id.ts';
import { readRecords, wholeOfRecords } from './whole.ts';
import { isGone } from './writer.ts';
import type { MergedRecord, Written } from './written.ts';

/** The recording that asks. */
export interface OwnRecording {
  /** What it has. The record has no writer until it is written, and the first one of a recording no time. */
  readonly record: MergedRecord & {
    readonly header: Pick<RecordHeader, 'id' | 'agent' | 'creation' | 'includes'>;
  };
  /** How many entries it began with. */
  readonly given: number;
  readonly earlier: ReadonlySet<string>;
  readonly broken: ReadonlySet<string>;
}

/**
 * Compares a conversation with the records of a transcript. Those that a program may still write stay as they are: a
 * reader joins them.
 */
export async function absorb(storage: TranscriptStorage, own: OwnRecording) {
  const { header, conversation } = own.record;
  const { gone, all } = await readWithGone(storage, header.id);
  const stored = recordsOfSession(all, header);
  // The records of the same recording that could not be continued.
  const broken = stored.map(({ writer }) => writer).filter((writer) => own.broken.has(writer));
  // What the recording writes itself is known.
  const others = stored.filter(({ writer }) => writer !== header.writer && !own.broken.has(writer));
  const { records, included } = readRecords(others, header.includes);
  const counts = new Map(records.map((each) => [each.header.writer, each.conversation.entries.length]));
  // A session that began empty was opened before anything was said in it.
  const seen = header.writer === '' && own.given === 0 ? counts : own.record.seen;
  // A clock can stand still, or go back.
  const createdAt = header.createdAt || timeAfter(records.map((each) => each.header.createdAt));
  const updatedAt = own.record.updatedAt || createdAt;
  const begun = { ...own.record, header: { ...header, createdAt }, updatedAt, seen };
  const origins = originsOf({ ...own, record: begun }, records);
  const record = { ...begun, origins: new Map([...own.record.origins, ...origins]) };
  // What is behind a damaged line is in its file only, which a user may restore.
  const over = records.filter(
    ({ header: { writer }, isEnded, damage }) =>
      damage === undefined && (isEnded || own.earlier.has(writer) || gone.has(writer)),
  );
  const whole = wholeOfRecords([...over, record]) as Written; // There is one record at least.
  const isMore = whole.conversation !== conversation;
  const isSame = !isMore && wholeOfRecords(over)?.conversation.entries.length === conversation.entries.length;
  const times = over.map(({ updatedAt }) => updatedAt).sort(compareTimes);
  return {
    /** What the recording has, with what only earlier records have. */
    whole,
    /** Whether earlier records have something that the recording lacks. */
    isMore,
    /** When the saved conversation changed last, if it has what the recording has, or more. */
    savedAt: isSame || isMore ? times.at(-1) : undefined,
    createdAt,
    /** When the first of these records began. `undefined` if there is none. */
    firstAt: earliest(over.map(({ header }) => header.firstAt ?? header.createdAt)),
    /** Where the entries of the recording were first written that other records have too, by their keys. */
    origins,
    /** How many entries each record has, by its writer. */
    counts,
    /** The records that are not needed beside this conversation. */
    includes: [...over.map((each) => each.header.writer), ...included],
    broken,
  };
}

/** All records of a transcript, each with everything that its writer wrote if that one is gone. */
async function readWithGone(storage: TranscriptStorage, id: string) {
  const all = await storage.read(id);
  const isOfGone = (record: StoredRecord) => {
    const program = headerOf(record)?.process;
    return program !== undefined && isGone(record.writer, program);
  };
  const gone = new Set(all.filter(isOfGone).map(({ writer }) => writer));
  // A writer can have written between the read and its end.
  return { gone, all: gone.size > 0 ? await storage.read(id) : all };
}

/** Where the entries of the recording were first written that one of the records has, by their keys. */
function originsOf(
  { record, given }: OwnRecording,
  records: readonly ReadRecord[],
): ReadonlyMap<string, readonly string[]> {
  const { header, conversation, origins } = record;
  const isWritten = header.writer !== '';
  const others = wholeOfRecords(records);
  const own = isWritten || origins.size > 0 || !others ? record : beginningWith(others, record, given);
  const whole = wholeOfRecords([...records, own]);
  const found = new Map<string, readonly string[]>();
  for (const source of whole?.sources.values() ?? [])
    for (const origin of source.origins) found.set(origin, source.origins);
  const known = new Map<string, readonly string[]>();
  for (const { key } of conversation.entries) {
    const first = originOf(header.writer, key);
    const all = found.get(own.origins.get(key)?.[0] ?? first) ?? [];
    // No other record can name a record that is not written yet.
    const kept = isWritten ? all : all.filter((origin) => origin !== first);
    if (kept.length > (isWritten ? 1 : 0)) known.set(key, kept);
  }
  return known;
}

/** A session that a program has opened with a saved conversation begins with the entries of this conversation. */
function beginningWith(
  { conversation, sources }: Written,
  record: MergedRecord,
  given: number,
): MergedRecord {
  const { entries } = record.conversation;
  const end = entries.findIndex(
    (entry, index) => index >= given || !isSameKept(conversation.entries[index], entry),
  );
  const begun = entries.slice(0, end < 0 ? entries.length : end);
  return {
    ...record,
    origins: new Map(begun.map(({ key }) => [key, sources.get(key)?.origins ?? []])),
  };
}

/** What was under way in a saved conversation is shown as ended. */
function isSameKept(saved: ConversationEntry | undefined, entry: ConversationEntry): boolean {
  if (saved?.kind !== entry.kind || saved.key !== entry.key) return false;
  if (saved.kind !== 'message' || entry.kind !== 'message') return true;
  return saved.role === entry.role && textOf(entry).startsWith(textOf(saved));
}
