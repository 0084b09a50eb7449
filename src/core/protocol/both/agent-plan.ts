import * as v from '../vocabulary.ts';

/**
 * @see https://agentclientprotocol.com/protocol/v1/agent-plan
 * @see https://agentclientprotocol.com/protocol/v2/agent-plan
 */

export const PlanEntryPriority = v.openEnum<'high' | 'medium' | 'low'>();
export type PlanEntryPriority = v.InferOutput<typeof PlanEntryPriority>;

export const PlanEntryStatus = v.openEnum<'pending' | 'in_progress' | 'completed' | 'cancelled'>();
export type PlanEntryStatus = v.InferOutput<typeof PlanEntryStatus>;

export const PlanEntry = v.struct({
  content: v.string(),
  priority: PlanEntryPriority,
  status: PlanEntryStatus,
  _meta: v.meta,
});
export type PlanEntry = v.InferOutput<typeof PlanEntry>;

export const PlanItems = v.struct({
  planId: v.string(),
  entries: v.withDefault(v.lenientArray(PlanEntry), []),
  _meta: v.meta,
});
export type PlanItems = v.InferOutput<typeof PlanItems>;

export const PlanMarkdown = v.struct({
  planId: v.string(),
  content: v.string(),
  path: v.nullish(v.absolutePath),
  _meta: v.meta,
});
export type PlanMarkdown = v.InferOutput<typeof PlanMarkdown>;

/** Replaces the plan with the same `planId`, whatever its type. */
export const PlanUpdateContent = v.openVariant(
  'type',
  { items: PlanItems, markdown: PlanMarkdown },
  { planId: v.string(), _meta: v.meta },
);
export type PlanUpdateContent = v.InferOutput<typeof PlanUpdateContent>;

export const PlanUpdate = v.struct({ plan: PlanUpdateContent, _meta: v.meta });
export type PlanUpdate = v.InferOutput<typeof PlanUpdate>;

export const PlanRemoved = v.struct({ planId: v.string(), _meta: v.meta });
export type PlanRemoved = v.InferOutput<typeof PlanRemoved>;
