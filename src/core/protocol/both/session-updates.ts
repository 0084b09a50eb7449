import * as v from '../vocabulary.ts';
import { ContentBlock } from './content.ts';
import { StateUpdate } from './state.ts';

/** What the client can do with a subagent. */
export const SubagentSessionCapabilities = v.struct({ cancel: v.marker, _meta: v.meta });
export type SubagentSessionCapabilities = v.InferOutput<typeof SubagentSessionCapabilities>;

/**
 * A session that works for another session. Omitted fields keep their value, `null` clears them.
 *
 * @see https://agentclientprotocol.com/protocol/v1/subagents
 * @see https://agentclientprotocol.com/protocol/v2/subagents
 */
export const SubagentUpdate = v.struct({
  sessionId: v.string(),
  title: v.nullableString,
  description: v.nullableString,
  capabilities: v.nullish(SubagentSessionCapabilities),
  state: v.nullish(StateUpdate),
  cwd: v.optionalNullable(v.path),
  additionalDirectories: v.optionalNullable(v.array(v.path)),
  _meta: v.meta,
});
export type SubagentUpdate = v.InferOutput<typeof SubagentUpdate>;

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
