import { CursorUpdate } from '../cursors.ts';
import * as v from '../vocabulary.ts';
import { PlanRemoved, PlanUpdate } from './agent-plan.ts';
import { ContentBlock } from './content.ts';
import { PromptSuggestionsUpdate } from './newer.ts';
import { SessionInfoUpdate } from './session-list.ts';
import { SubagentUpdate } from './subagents.ts';

/** A message from one session to another. Omitted fields keep their value, `null` clears them. */
export const SessionMessage = v.struct({
  messageId: v.string(),
  senderSessionId: v.nullableString,
  recipientSessionId: v.nullableString,
  senderMessageId: v.nullableString,
  recipientMessageId: v.nullableString,
  content: v.nullish(v.lenientArray(ContentBlock)),
  _meta: v.meta,
});
export type SessionMessage = v.InferOutput<typeof SessionMessage>;

/** Appends a block to a message between sessions. */
export const SessionMessageChunk = v.struct({ messageId: v.string(), content: ContentBlock, _meta: v.meta });
export type SessionMessageChunk = v.InferOutput<typeof SessionMessageChunk>;

export const Cost = v.struct({ amount: v.number(), currency: v.string(), _meta: v.meta });
export type Cost = v.InferOutput<typeof Cost>;

export const UsageUpdate = v.struct({ used: v.count, size: v.count, cost: v.nullish(Cost), _meta: v.meta });
export type UsageUpdate = v.InferOutput<typeof UsageUpdate>;

export const NoticeSeverity = v.openEnum<'info' | 'warning' | 'error'>();
export type NoticeSeverity = v.InferOutput<typeof NoticeSeverity>;

export const Notice = v.struct({
  severity: NoticeSeverity,
  title: v.pipe(v.string(), v.minLength(1)),
  description: v.nullableString,
  _meta: v.meta,
});
export type Notice = v.InferOutput<typeof Notice>;

export const CompactionStatus = v.openEnum<'in_progress' | 'completed' | 'failed' | 'cancelled'>();
export type CompactionStatus = v.InferOutput<typeof CompactionStatus>;

export const CompactionUpdate = v.struct({
  compactionId: v.string(),
  status: CompactionStatus,
  summary: v.nullish(v.lenientArray(ContentBlock)),
  error: v.nullableString,
  _meta: v.meta,
});
export type CompactionUpdate = v.InferOutput<typeof CompactionUpdate>;

export const CompactionSummaryChunk = v.struct({
  compactionId: v.string(),
  content: ContentBlock,
  _meta: v.meta,
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
