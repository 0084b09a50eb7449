import type { JsonObject } from '../base/json.ts';
import { agentText } from '../base/remote-reason.ts';
import type { SubagentState } from '../model/update.ts';
import { omitUndefined } from './encode.ts';
import { normalizeUsage, type ReceivedUsage } from './usage.ts';

/** The idle state of a session as agents send it. */
interface ReceivedIdle {
  readonly state: string;
  readonly [key: string]: unknown;
  readonly stopReason?: string | null;
  readonly error?: JsonObject | null;
  readonly usage?: ReceivedUsage | null;
}

/** A state in the neutral model, with the other fields of what carried it. */
type Normalized<T> = SubagentState & Pick<T, Exclude<keyof T, keyof SubagentState>>;

/** Only the idle state has a stop reason, an error and usage. The fields mean nothing in other states. */
export function normalizeState<T extends { readonly state: string }>(received: T): Normalized<T> {
  // The schema has checked the fields of the idle state.
  const { stopReason, error, usage, ...rest } = received as unknown as ReceivedIdle;
  // The rest are the other fields of `received`.
  if (received.state !== 'idle') return rest as unknown as Normalized<T>;
  // Without usage and error, the state already has the form of the neutral model.
  if (usage === undefined && !error) return received as unknown as Normalized<T>;
  const neutral = { stopReason, error: error && explained(error), usage: normalizeUsage(usage) };
  return { ...rest, ...omitUndefined(neutral) } as unknown as Normalized<T>;
}

/** An update of a subagent has the state of its session as a field. */
export function normalizeSubagent<T extends { readonly state?: { readonly state: string } | null }>(
  update: T,
): Omit<T, 'state'> & { readonly state?: SubagentState | null } {
  const { state, ...rest } = update;
  if (state === undefined) return rest;
  return { ...rest, state: state && normalizeState(state) };
}

/** The message with the reason that some agents give in the data only. */
function explained(error: JsonObject): JsonObject {
  const { message, data } = error;
  return typeof message === 'string' ? { ...error, message: agentText(message, data) } : error;
}
