import * as v from 'valibot';
import { ContentBlock } from '../both/content.ts';
import { SessionMessageChunk } from '../both/session-updates.ts';
import { lenientArray, meta, nonEmptyArray, nullableString, nullish, struct } from '../vocabulary.ts';
import { PromptBlock } from './content.ts';

export const PromptRequest = struct({
  sessionId: v.string(),
  prompt: nonEmptyArray(PromptBlock),
  /** @see https://agentclientprotocol.com/rfds/v2/idempotency-keys */
  idempotencyKey: nullableString,
  _meta: meta,
});
export type PromptRequest = v.InferOutput<typeof PromptRequest>;

export const PromptResponse = struct({ messageId: v.string(), _meta: meta });
export type PromptResponse = v.InferOutput<typeof PromptResponse>;

export const CancelSessionNotification = struct({ sessionId: v.string(), _meta: meta });
export type CancelSessionNotification = v.InferOutput<typeof CancelSessionNotification>;

/** Appends a block to a message. */
export const ContentChunk = SessionMessageChunk;
export type ContentChunk = v.InferOutput<typeof ContentChunk>;

/** A whole message. `content` replaces the previous content, `null` clears it, an omitted key keeps it. */
export const UserMessage = struct({
  messageId: v.string(),
  content: nullish(lenientArray(ContentBlock)),
  _meta: meta,
});
export type UserMessage = v.InferOutput<typeof UserMessage>;

export const AgentMessage = UserMessage;
export type AgentMessage = v.InferOutput<typeof AgentMessage>;

export const AgentThought = UserMessage;
export type AgentThought = v.InferOutput<typeof AgentThought>;
