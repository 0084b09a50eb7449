import * as v from 'valibot';
import { ContentBlock } from '../both/content.ts';
import { SessionMessageChunk } from '../both/session-updates.ts';
import { agentNotification, agentRequest } from '../method.ts';
import { promptFeatures } from '../param-features.ts';
import { ReceivedUsage } from '../usage.ts';
import {
  lenient,
  lenientArray,
  meta,
  nonEmptyArray,
  nullAsEmpty,
  nullableString,
  nullish,
  struct,
} from '../vocabulary.ts';
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

/** @see https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#1-user-message */
export const prompt = agentRequest({
  method: 'session/prompt',
  params: PromptRequest,
  // Earlier drafts answered `{}`, and before that `{ stopReason, usage }`.
  result: nullAsEmpty(
    struct({
      messageId: lenient(v.string()),
      stopReason: lenient(v.string()),
      usage: nullish(ReceivedUsage),
      _meta: meta,
    }),
  ),
  requires: 'session',
  uses: promptFeatures,
});

export const CancelSessionNotification = struct({ sessionId: v.string(), _meta: meta });
export type CancelSessionNotification = v.InferOutput<typeof CancelSessionNotification>;

/** @see https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#cancellation */
export const cancel = agentNotification({
  method: 'session/cancel',
  params: CancelSessionNotification,
  requires: 'session',
  onSubagent: 'cancel',
});

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
