import * as v from '../vocabulary.ts';
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
