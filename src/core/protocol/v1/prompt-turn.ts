import { ContentBlock } from '../both/content.ts';
import { StopReason } from '../both/state.ts';
import { Usage } from '../unstable.ts';
import * as v from '../vocabulary.ts';
import { PromptBlock } from './content.ts';

export const PromptRequest = v.struct({
  sessionId: v.string(),
  prompt: v.nonEmptyArray(PromptBlock),
  _meta: v.meta,
});
export type PromptRequest = v.InferOutput<typeof PromptRequest>;

export const PromptResponse = v.struct({
  stopReason: StopReason,
  /** @experimental */
  usage: v.nullish(Usage),
  _meta: v.meta,
});
export type PromptResponse = v.InferOutput<typeof PromptResponse>;

export const CancelNotification = v.struct({ sessionId: v.string(), _meta: v.meta });
export type CancelNotification = v.InferOutput<typeof CancelNotification>;

/** One block of a message. Without a `messageId` it belongs to the last message. */
export const ContentChunk = v.struct({ messageId: v.nullableString, content: ContentBlock, _meta: v.meta });
export type ContentChunk = v.InferOutput<typeof ContentChunk>;
