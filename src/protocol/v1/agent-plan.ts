import * as v from 'valibot';
import { lenientArray, meta, openEnum, struct, withDefault } from '../vocabulary.ts';

/** @see https://agentclientprotocol.com/protocol/v1/agent-plan */

export const PlanEntryPriority = openEnum<'high' | 'medium' | 'low'>();
export type PlanEntryPriority = v.InferOutput<typeof PlanEntryPriority>;

export const PlanEntryStatus = openEnum<'pending' | 'in_progress' | 'completed'>();
export type PlanEntryStatus = v.InferOutput<typeof PlanEntryStatus>;

export const PlanEntry = struct({
  content: v.string(),
  priority: PlanEntryPriority,
  status: PlanEntryStatus,
  _meta: meta,
});
export type PlanEntry = v.InferOutput<typeof PlanEntry>;

/** Replaces the previous plan. */
export const Plan = struct({ entries: withDefault(lenientArray(PlanEntry), []), _meta: meta });
export type Plan = v.InferOutput<typeof Plan>;
