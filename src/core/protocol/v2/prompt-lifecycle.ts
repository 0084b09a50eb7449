import { ContentBlock } from '../both/content.ts';
import { SessionMessageChunk } from '../both/session-updates.ts';
import * as v from '../vocabulary.ts';
import { PromptBlock } from './content.ts';

export const PromptRequest = v.struct({
  sessionId: v.string(),
  prompt: v.nonEmptyArray(PromptBlock),
  /** @see https://agentclientprotocol.com/rfds/v2/idempotency-keys */
  idempotencyKey: v.nullableString,
  _meta: v.meta,
});
export type PromptRequest = v.InferOutput<typeof PromptRequest>;

export const PromptResponse = v.struct({ messageId: v.string(), _meta: v.meta });
export type PromptResponse = v.InferOutput<typeof PromptResponse>;

export const CancelSessionNotification = v.struct({ sessionId: v.string(), _meta: v.meta });
export type CancelSessionNotification = v.InferOutput<typeof CancelSessionNotification>;

/** Appends a block to a message. */
export const ContentChunk = SessionMessageChunk;
export type ContentChunk = v.InferOutput<typeof ContentChunk>;

/** A whole message. `content` replaces the previous content, `null` clears it, an omitted key keeps it. */
export const UserMessage = v.struct({
  messageId: v.string(),
  content: v.nullish(v.lenientArray(ContentBlock)),
  _meta: v.meta,
});
export type UserMessage = v.InferOutput<typeof UserMessage>;

export const AgentMessage = UserMessage;
export type AgentMessage = v.InferOutput<typeof AgentMessage>;

export const AgentThought = UserMessage;
export type AgentThought = v.InferOutput<typeof AgentThought>;
