import * as v from 'valibot';
import { ContentBlock } from '../both/content.ts';
import { StopReason } from '../both/state.ts';
import { Usage } from '../unstable.ts';
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

export const CancelNotification = struct({ sessionId: v.string(), _meta: meta });
export type CancelNotification = v.InferOutput<typeof CancelNotification>;

/** One block of a message. Without a `messageId` it belongs to the last message. */
export const ContentChunk = struct({ messageId: nullableString, content: ContentBlock, _meta: meta });
export type ContentChunk = v.InferOutput<typeof ContentChunk>;
