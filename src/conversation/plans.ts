import type { JsonObject } from '../base/json.ts';
import type { Plan } from '../model/plan.ts';
import type { PlanRemoved, PlanUpdate, SolePlanUpdate } from '../model/update.ts';
import type { Draft } from './draft.ts';
import { patchMeta } from './meta.ts';

/** How many plans a conversation has. Each update copies the list of the plans. */
export const maxPlans = 1000;

/** Adds a plan, or replaces the one with the same id. The oldest plan makes room for one that is too many. */
export function planUpdate(draft: Draft, { plan, _meta }: PlanUpdate): void {
  const meta = patchMeta(patchMeta(null, plan._meta), _meta);
  const next: Plan =
    plan.type === 'items'
      ? { planId: plan.planId, entries: plan.entries as Plan['entries'], ...(meta && { _meta: meta }) }
      : {
          planId: plan.planId,
          entries: [],
          other: plan as unknown as JsonObject,
          ...(meta && { _meta: meta }),
        };
  const { plans } = draft.fields;
  const known = plans.some(({ planId }) => planId === next.planId);
  draft.set(
    'plans',
    known
      ? plans.map((current) => (current.planId === next.planId ? next : current))
      : [...plans, next].slice(-maxPlans),
  );
}

/** Replaces the plan of an agent that has only one. */
export function solePlan(draft: Draft, { entries, _meta }: SolePlanUpdate): void {
  const plan = { type: 'items' as const, planId: 'plan', entries };
  planUpdate(draft, { sessionUpdate: 'plan_update', plan, ...(_meta && { _meta }) });
}

/** Removes a plan. */
export function planRemoved(draft: Draft, { planId }: PlanRemoved): void {
  draft.set(
    'plans',
    draft.fields.plans.filter((plan) => plan.planId !== planId),
  );
}
