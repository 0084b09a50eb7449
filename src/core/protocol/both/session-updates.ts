import * as v from 'valibot';
import { CursorUpdate } from '../cursors.ts';
import { count, lenientArray, meta, nullableString, nullish, openEnum, struct } from '../vocabulary.ts';
import { PlanRemoved, PlanUpdate } from './agent-plan.ts';
import { ContentBlock } from './content.ts';
import { PromptSuggestionsUpdate } from './newer.ts';
import { SessionInfoUpdate } from './session-list.ts';
import { SubagentUpdate } from './subagents.ts';

/** A message from one session to another. Omitted fields keep their value, `null` clears them. */
export const SessionMessage = struct({
  messageId: v.string(),
  senderSessionId: nullableString,
  recipientSessionId: nullableString,
  senderMessageId: nullableString,
  recipientMessageId: nullableString,
  content: nullish(lenientArray(ContentBlock)),
  _meta: meta,
});
export type SessionMessage = v.InferOutput<typeof SessionMessage>;

/** Appends a block to a message between sessions. */
export const SessionMessageChunk = struct({ messageId: v.string(), content: ContentBlock, _meta: meta });
export type SessionMessageChunk = v.InferOutput<typeof SessionMessageChunk>;

export const Cost = struct({ amount: v.number(), currency: v.string(), _meta: meta });
export type Cost = v.InferOutput<typeof Cost>;

export const UsageUpdate = struct({ used: count, size: count, cost: nullish(Cost), _meta: meta });
export type UsageUpdate = v.InferOutput<typeof UsageUpdate>;

export const NoticeSeverity = openEnum<'info' | 'warning' | 'error'>();
export type NoticeSeverity = v.InferOutput<typeof NoticeSeverity>;

export const Notice = struct({
  severity: NoticeSeverity,
  title: v.pipe(v.string(), v.minLength(1)),
  description: nullableString,
  _meta: meta,
});
export type Notice = v.InferOutput<typeof Notice>;

export const CompactionStatus = openEnum<'in_progress' | 'completed' | 'failed' | 'cancelled'>();
export type CompactionStatus = v.InferOutput<typeof CompactionStatus>;

export const CompactionUpdate = struct({
  compactionId: v.string(),
  status: CompactionStatus,
  summary: nullish(lenientArray(ContentBlock)),
  error: nullableString,
  _meta: meta,
});
export type CompactionUpdate = v.InferOutput<typeof CompactionUpdate>;

export const CompactionSummaryChunk = struct({
  compactionId: v.string(),
  content: ContentBlock,
  _meta: meta,
});
export type CompactionSummaryChunk = v.InferOutput<typeof CompactionSummaryChunk>;

/** The schemas of the updates that are the same in the official schemas of both versions, by their `sessionUpdate`. */
export const sharedUpdates = {
  plan_update: PlanUpdate,
  plan_removed: PlanRemoved,
  session_info_update: SessionInfoUpdate,
  usage_update: UsageUpdate,
  notice: Notice,
  compaction_update: CompactionUpdate,
  compaction_summary_chunk: CompactionSummaryChunk,
  session_message: SessionMessage,
  session_message_chunk: SessionMessageChunk,
  subagent_update: SubagentUpdate,
};

/**
 * The same for those that are newer than the published schemas.
 *
 * @experimental
 */
export const newerUpdates = {
  prompt_suggestions_update: PromptSuggestionsUpdate,
  cursor_update: CursorUpdate,
};
