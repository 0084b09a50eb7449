import type { Conversation } from '../../core/model/conversation.ts';
import type { ReadRecord, RecordHeader } from './format.ts';
import { originOf } from './origins.ts';
import { compareTimes } from './times.ts';

/** What a merge needs to know of a record. */
export interface MergedRecord
  extends Pick<ReadRecord, 'updatedAt' | 'conversation' | 'origins' | 'seen' | 'hadPlans'> {
  readonly header: Pick<RecordHeader, 'writer' | 'createdAt' | 'firstAt'>;
}

/** A conversation of one or several records, and where its entries come from. */
export interface Written {
  readonly conversation: Conversation;
  /** By the key of the entry. */
  readonly sources: ReadonlyMap<string, Source>;
  readonly hadPlans: boolean;
}

/** Where an entry of a conversation comes from. */
export interface Source {
  /** Where it was first written. Several, if records had it that did not know of each other. */
  readonly origins: readonly string[];
  /** The record whose version of the entry it is. */
  readonly record: MergedRecord;
  /** The index of the entry in this record. */
  readonly place: number;
  /** Whether the record has taken it over from no other one. */
  readonly isFirst: boolean;
}

export function writtenOf(record: MergedRecord): Written {
  const { writer } = record.header;
  const sources = record.conversation.entries.map(({ key }, place): [string, Source] => {
    const own = originOf(writer, key);
    const origins = record.origins.get(key) ?? [own];
    return [key, { origins, record, place, isFirst: origins.length === 1 && origins[0] === own }];
  });
  return { conversation: record.conversation, sources: new Map(sources), hadPlans: record.hadPlans };
}

/** Whether an entry was there already when a record began. What the user says later is another entry. */
export function isSeenBy({ seen }: MergedRecord, { isFirst, place, record }: Source): boolean {
  return isFirst && place < (seen.get(record.header.writer) ?? 0);
}

/** Whether the record that wrote an entry first has changed after another one took the entry over. */
export function isNewerThan(first: Source, taken: Source): boolean {
  return (
    first.isFirst && !taken.isFirst && compareTimes(first.record.updatedAt, taken.record.header.createdAt) > 0
  );
}
