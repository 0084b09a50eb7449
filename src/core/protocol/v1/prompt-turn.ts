import * as v from 'valibot';
import { ContentBlock } from '../both/content.ts';
import { StopReason } from '../both/state.ts';
import { agentNotification, agentRequest } from '../method.ts';
import { promptFeatures } from '../param-features.ts';
import { Usage } from '../unstable.ts';
import { ReceivedUsage } from '../usage.ts';
import { meta, nonEmptyArray, nullableString, nullish, struct } from '../vocabulary.ts';
import { PromptBlock } from './content.ts';

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
