import * as v from 'valibot';
import { marker, meta, nullableString, nullish, optionalNullable, path, struct } from '../vocabulary.ts';
import { StateUpdate } from './state.ts';

/** What the client can do with a subagent. */
export const SubagentSessionCapabilities = struct({ cancel: marker, _meta: meta });
export type SubagentSessionCapabilities = v.InferOutput<typeof SubagentSessionCapabilities>;

/**
 * A session that works for another session. Omitted fields keep their value, `null` clears them.
 *
 * @see https://agentclientprotocol.com/protocol/v1/subagents
 * @see https://agentclientprotocol.com/protocol/v2/subagents
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
