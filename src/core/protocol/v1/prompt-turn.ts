import * as v from 'valibot';
import { agentNotification, agentRequest } from '../method.ts';
import { promptFeatures } from '../param-features.ts';
import { Usage } from '../unstable.ts';
import { ReceivedUsage } from '../usage.ts';
import {
  count,
  lenientArray,
  meta,
  nonEmptyArray,
  nullableString,
  nullish,
  openEnum,
  struct,
} from '../vocabulary.ts';
import { ContentBlock, PromptBlock } from './content.ts';

export const StopReason = openEnum<
  'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled'
>();
export type StopReason = v.InferOutput<typeof StopReason>;

export const PromptRequest = struct({
  sessionId: v.string(),
  prompt: nonEmptyArray(PromptBlock),
  _meta: meta,
});
export type PromptRequest = v.InferOutput<typeof PromptRequest>;

export const PromptResponse = struct({
  stopReason: StopReason,
  /** @experimental */
  usage: nullish(Usage),
  _meta: meta,
});
export type PromptResponse = v.InferOutput<typeof PromptResponse>;

/** @see https://agentclientprotocol.com/protocol/v1/prompt-turn#1-user-message */
export const prompt = agentRequest({
  method: 'session/prompt',
  params: PromptRequest,
  result: struct({ ...PromptResponse.entries, usage: nullish(ReceivedUsage) }),
  requires: 'session',
  uses: promptFeatures,
});

export const CancelNotification = struct({ sessionId: v.string(), _meta: meta });
export type CancelNotification = v.InferOutput<typeof CancelNotification>;

/** @see https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation */
export const cancel = agentNotification({
  method: 'session/cancel',
  params: CancelNotification,
  requires: 'session',
  onSubagent: 'cancel',
});

/** One block of a message. Without a `messageId` it belongs to the last message. */
export const ContentChunk = struct({ messageId: nullableString, content: ContentBlock, _meta: meta });
export type ContentChunk = v.InferOutput<typeof ContentChunk>;

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
