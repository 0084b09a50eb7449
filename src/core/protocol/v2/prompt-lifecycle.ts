import * as v from 'valibot';
import { agentNotification, agentRequest } from '../method.ts';
import { promptFeatures } from '../param-features.ts';
import { Usage } from '../unstable.ts';
import { ReceivedUsage } from '../usage.ts';
import {
  count,
  lenient,
  lenientArray,
  meta,
  nonEmptyArray,
  nullAsEmpty,
  nullableString,
  nullish,
  openEnum,
  openVariant,
  struct,
} from '../vocabulary.ts';
import { ContentBlock, PromptBlock } from './content.ts';
import { ErrorObject } from './error.ts';

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
export const ContentChunk = struct({ messageId: v.string(), content: ContentBlock, _meta: meta });
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
export const SessionMessageChunk = ContentChunk;
export type SessionMessageChunk = v.InferOutput<typeof SessionMessageChunk>;

export const BackgroundTerminal = struct({ terminalId: v.string(), _meta: meta });
export type BackgroundTerminal = v.InferOutput<typeof BackgroundTerminal>;

export const BackgroundToolCall = struct({ toolCallId: v.string(), _meta: meta });
export type BackgroundToolCall = v.InferOutput<typeof BackgroundToolCall>;

export const BackgroundSubagent = struct({ sessionId: v.string(), _meta: meta });
export type BackgroundSubagent = v.InferOutput<typeof BackgroundSubagent>;

export const BackgroundWork = openVariant('type', {
  terminal: BackgroundTerminal,
  tool_call: BackgroundToolCall,
  subagent: BackgroundSubagent,
});
export type BackgroundWork = v.InferOutput<typeof BackgroundWork>;

const activity = { background: nullish(v.array(BackgroundWork)), _meta: meta };

export const RunningStateUpdate = struct(activity);
export type RunningStateUpdate = v.InferOutput<typeof RunningStateUpdate>;

export const RequiresActionStateUpdate = RunningStateUpdate;
export type RequiresActionStateUpdate = v.InferOutput<typeof RequiresActionStateUpdate>;

/** The agent cannot tell what it does. */
export const UnknownStateUpdate = RunningStateUpdate;
export type UnknownStateUpdate = v.InferOutput<typeof UnknownStateUpdate>;

export const ErrorStopReason = struct({ error: nullish(ErrorObject) });
export type ErrorStopReason = v.InferOutput<typeof ErrorStopReason>;

export const StopReason = openEnum<
  'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled' | 'error'
>();

/** Show an unknown `stopReason` as stopped. The reason `error` comes with an `error` object. */
export const IdleStateUpdate = struct({
  ...activity,
  stopReason: nullish(StopReason),
  ...ErrorStopReason.entries,
  /** @experimental */
  usage: nullish(Usage),
});
export type IdleStateUpdate = v.InferOutput<typeof IdleStateUpdate>;

const states = {
  running: RunningStateUpdate,
  idle: IdleStateUpdate,
  requires_action: RequiresActionStateUpdate,
  unknown: UnknownStateUpdate,
};

/** Treat an unknown state as busy. */
export const StateUpdate = openVariant('state', states, activity);
export type StateUpdate = v.InferOutput<typeof StateUpdate>;

/** A state update as agents send it, with any usage. */
export const ReceivedStateUpdate = openVariant(
  'state',
  { ...states, idle: struct({ ...IdleStateUpdate.entries, usage: nullish(ReceivedUsage) }) },
  activity,
);
export type ReceivedStateUpdate = v.InferOutput<typeof ReceivedStateUpdate>;

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
