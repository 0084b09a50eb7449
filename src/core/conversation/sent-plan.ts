import type { Plan } from '../model/plan.ts';
import type { PlanUpdate } from '../model/update.ts';

/** A plan of an update as a conversation has it, without metadata. A plan of an unknown type stays as it was sent. */
export function sentPlan({ _meta, ...plan }: PlanUpdate['plan']): Plan {
  const { planId } = plan;
  if (plan.type === 'items') return { planId, type: plan.type, entries: plan.entries };
  if (plan.type !== 'markdown') return plan;
  const { content, path } = plan;
  return { planId, type: plan.type, content, ...(path != null && { path }) };
}
