import * as v from 'valibot';
import { Usage } from '../unstable.ts';
import {
  empty,
  integer,
  json,
  lenientArray,
  marker,
  meta,
  nullableString,
  nullish,
  openVariant,
  optional,
  optionalNullable,
  path,
  struct,
} from '../vocabulary.ts';
import { ContentBlock } from './content.ts';

/** What the client can do with a subagent. */
export const SubagentSessionCapabilities = struct({ cancel: marker, _meta: meta });
export type SubagentSessionCapabilities = v.InferOutput<typeof SubagentSessionCapabilities>;

const ErrorObject = struct({ code: integer, message: v.string(), data: optional(json) });

export const ErrorStopReason = struct({ error: nullish(ErrorObject) });
export type ErrorStopReason = v.InferOutput<typeof ErrorStopReason>;

/** Show an unknown `stopReason` as stopped. The reason `error` comes with an `error` object. */
export const IdleStateUpdate = struct({
  stopReason: nullableString,
  ...ErrorStopReason.entries,
  /** @experimental */
  usage: nullish(Usage),
  _meta: meta,
});
export type IdleStateUpdate = v.InferOutput<typeof IdleStateUpdate>;

/** What a subagent does. Treat an unknown state as busy. */
export const StateUpdate = openVariant('state', {
  running: empty,
  idle: IdleStateUpdate,
  requires_action: empty,
  unknown: empty,
});
export type StateUpdate = v.InferOutput<typeof StateUpdate>;

/**
 * A session that works for another session. Omitted fields keep their value, `null` clears them.
 *
 * @see https://agentclientprotocol.com/protocol/v1/subagents
 */
export const SubagentUpdate = struct({
  sessionId: v.string(),
  title: nullableString,
  description: nullableString,
  capabilities: nullish(SubagentSessionCapabilities),
  state: nullish(StateUpdate),
  cwd: optionalNullable(path),
  additionalDirectories: optionalNullable(v.array(path)),
  _meta: meta,
});
export type SubagentUpdate = v.InferOutput<typeof SubagentUpdate>;

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
export const SessionMessageChunk = struct({ messageId: v.string(), content: ContentBlock, _meta: meta });
export type SessionMessageChunk = v.InferOutput<typeof SessionMessageChunk>;
