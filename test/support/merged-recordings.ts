import type { Conversation } from '../../src/core/model/conversation.ts';
import { mergeWritten } from '../../src/records/transcripts/merge.ts';
import { type MergedRecord, writtenOf } from '../../src/records/transcripts/written.ts';

/** A record that knows of no other one. */
export function recordOf(writer: string, conversation: Conversation): MergedRecord {
  const header = { writer, createdAt: `2026-01-01T00:00:00.00${writer}Z` };
  return {
    header,
    updatedAt: header.createdAt,
    conversation,
    origins: new Map(),
    seen: new Map(),
    hadPlans: false,
  };
}

/** What a reader makes of two recordings that do not know of each other. */
export function mergeConversations(older: Conversation, newer: Conversation): Conversation {
  return mergeWritten(writtenOf(recordOf('1', older)), writtenOf(recordOf('2', newer))).conversation;
}
