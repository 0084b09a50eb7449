import { Usage } from '../unstable.ts';
import { ReceivedUsage } from '../usage.ts';
import * as v from '../vocabulary.ts';

/**
 * A JSON-RPC error as a field of other messages. Its name in the official schema is `Error`.
 *
 * @see https://agentclientprotocol.com/protocol/v1/error
 * @see https://agentclientprotocol.com/protocol/v2/error
 */
export const ErrorObject = v.struct({ code: v.integer, message: v.string(), data: v.optional(v.json) });
export type ErrorObject = v.InferOutput<typeof ErrorObject>;

export const BackgroundTerminal = v.struct({ terminalId: v.string(), _meta: v.meta });
export type BackgroundTerminal = v.InferOutput<typeof BackgroundTerminal>;

export const BackgroundToolCall = v.struct({ toolCallId: v.string(), _meta: v.meta });
export type BackgroundToolCall = v.InferOutput<typeof BackgroundToolCall>;

export const BackgroundSubagent = v.struct({ sessionId: v.string(), _meta: v.meta });
export type BackgroundSubagent = v.InferOutput<typeof BackgroundSubagent>;

export const BackgroundWork = v.openVariant('type', {
  terminal: BackgroundTerminal,
  tool_call: BackgroundToolCall,
  subagent: BackgroundSubagent,
});
export type BackgroundWork = v.InferOutput<typeof BackgroundWork>;

const activity = { background: v.nullish(v.array(BackgroundWork)), _meta: v.meta };

export const RunningStateUpdate = v.struct(activity);
export type RunningStateUpdate = v.InferOutput<typeof RunningStateUpdate>;

export const RequiresActionStateUpdate = RunningStateUpdate;
export type RequiresActionStateUpdate = v.InferOutput<typeof RequiresActionStateUpdate>;

/** The agent cannot tell what it does. */
export const UnknownStateUpdate = RunningStateUpdate;
export type UnknownStateUpdate = v.InferOutput<typeof UnknownStateUpdate>;

export const ErrorStopReason = v.struct({ error: v.nullish(ErrorObject) });
export type ErrorStopReason = v.InferOutput<typeof ErrorStopReason>;

export const StopReason = v.openEnum<
  'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled' | 'error'
>();
export type StopReason = v.InferOutput<typeof StopReason>;

/** Show an unknown `stopReason` as stopped. The reason `error` comes with an `error` object. */
export const IdleStateUpdate = v.struct({
  ...activity,
  stopReason: v.nullish(StopReason),
  ...ErrorStopReason.entries,
  /** @experimental */
  usage: v.nullish(Usage),
});
export type IdleStateUpdate = v.InferOutput<typeof IdleStateUpdate>;

const states = {
  running: RunningStateUpdate,
  idle: IdleStateUpdate,
  requires_action: RequiresActionStateUpdate,
  unknown: UnknownStateUpdate,
};

/** Treat an unknown state as busy. */
export const StateUpdate = v.openVariant('state', states, activity);
export type StateUpdate = v.InferOutput<typeof StateUpdate>;

/** A state update as agents send it, with any usage. */
export const ReceivedStateUpdate = v.openVariant(
  'state',
  { ...states, idle: v.struct({ ...IdleStateUpdate.entries, usage: v.nullish(ReceivedUsage) }) },
  activity,
);
export type ReceivedStateUpdate = v.InferOutput<typeof ReceivedStateUpdate>;
