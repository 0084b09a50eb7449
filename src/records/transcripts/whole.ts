import { freeze } from '../../core/conversation/equal.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import { readStored } from './damage.ts';
import type { ReadRecord, RecordHeader } from './format.ts';
import { mergeWritten } from './merge.ts';
import type { StoredRecord } from './storage.ts';
import { compareTimes } from './times.ts';
import { type MergedRecord, type Written, writtenOf } from './written.ts';

/**
 * The records of a transcript that count.
 *
 * @param includedElsewhere - The writers of records whose content a record has that is not read here.
 */
export function readRecords(stored: readonly StoredRecord[], includedElsewhere: readonly string[] = []) {
  const records: ReadRecord[] = [];
  const newer: RecordHeader[] = [];
  for (const record of stored) {
    const reading = readStored(record);
    if ('unreadable' in reading) continue;
    if ('newer' in reading) newer.push(reading.newer);
    else records.push(reading);
  }
  const isIncluded = new Set([...includedElsewhere, ...records.flatMap(({ header }) => header.includes)]);
  return {
    /** In the order in which their recordings began. */
    records: inOrder(records.filter(({ header }) => !isIncluded.has(header.writer))),
    /** Those that a newer version of this library wrote. */
    newer,
    /** The writers of the records whose content another record has. */
    included: records.map(({ header }) => header.writer).filter((writer) => isIncluded.has(writer)),
  };
}

function inOrder<T extends MergedRecord>(records: readonly T[]): readonly T[] {
  return [...records].sort(
    ({ header: one }, { header: other }) =>
      compareTimes(one.firstAt ?? one.createdAt, other.firstAt ?? other.createdAt) ||
      compareTimes(one.createdAt, other.createdAt) ||
      compareTexts(one.writer, other.writer),
  );
}

/** By code units, which is the same order on each machine. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The records as one, in the order in which their recordings began. `undefined` if there is none. */
export function wholeOfRecords(records: readonly MergedRecord[]): Written | undefined {
  const [first, ...others] = inOrder(records).map(writtenOf);
  return first && others.reduce(mergeWritten, first);
}

/** The records as one conversation, which is frozen. `undefined` if there is none. */
export function wholeConversation(records: readonly MergedRecord[]): Conversation | undefined {
  return freeze(wholeOfRecords(records)?.conversation);
}
