import * as v from 'valibot';
import {
  absolutePath,
  lenientArray,
  meta,
  nullish,
  openEnum,
  openVariant,
  struct,
  withDefault,
} from '../vocabulary.ts';

/**
 * @see https://agentclientprotocol.com/protocol/v1/agent-plan
 * @see https://agentclientprotocol.com/protocol/v2/agent-plan
 */

export const PlanEntryPriority = openEnum<'high' | 'medium' | 'low'>();
export type PlanEntryPriority = v.InferOutput<typeof PlanEntryPriority>;

export const PlanEntryStatus = openEnum<'pending' | 'in_progress' | 'completed' | 'cancelled'>();
export type PlanEntryStatus = v.InferOutput<typeof PlanEntryStatus>;

export const PlanEntry = struct({
  content: v.string(),
  priority: PlanEntryPriority,
  status: PlanEntryStatus,
  _meta: meta,
});
export type PlanEntry = v.InferOutput<typeof PlanEntry>;

export const PlanItems = struct({
  planId: v.string(),
  entries: withDefault(lenientArray(PlanEntry), []),
  _meta: meta,
});
export type PlanItems = v.InferOutput<typeof PlanItems>;

export const PlanMarkdown = struct({
  planId: v.string(),
  content: v.string(),
  path: nullish(absolutePath),
  _meta: meta,
});
export type PlanMarkdown = v.InferOutput<typeof PlanMarkdown>;

/** Replaces the plan with the same `planId`, whatever its type. */
export const PlanUpdateContent = openVariant(
  'type',
  { items: PlanItems, markdown: PlanMarkdown },
  { planId: v.string(), _meta: meta },
);
export type PlanUpdateContent = v.InferOutput<typeof PlanUpdateContent>;

export const PlanUpdate = struct({ plan: PlanUpdateContent, _meta: meta });
export type PlanUpdate = v.InferOutput<typeof PlanUpdate>;

export const PlanRemoved = struct({ planId: v.string(), _meta: meta });
export type PlanRemoved = v.InferOutput<typeof PlanRemoved>;
