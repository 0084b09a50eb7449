import type { JsonObject } from '../json.ts';
import type { Plan } from '../model/plan.ts';
import type { PlanRemoved, PlanUpdate, SolePlan } from '../model/update.ts';
import type { Draft } from './draft.ts';

/** A plan, whole: it takes the place of the one with its id. */
export function planUpdate(draft: Draft, { plan }: PlanUpdate): void {
  const next: Plan =
    plan.type === 'items'
      ? { planId: plan.planId, entries: plan.entries as Plan['entries'] }
      : { planId: plan.planId, entries: [], other: plan as unknown as JsonObject };
  const { plans } = draft.fields;
  const known = plans.some(({ planId }) => planId === next.planId);
  draft.set(
    'plans',
    known ? plans.map((current) => (current.planId === next.planId ? next : current)) : [...plans, next],
  );
}

/** The one plan that there is. */
export function solePlan(draft: Draft, { entries }: SolePlan): void {
  planUpdate(draft, { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'plan', entries } });
}

/** A plan is no more. */
export function planRemoved(draft: Draft, { planId }: PlanRemoved): void {
  draft.set(
    'plans',
    draft.fields.plans.filter((plan) => plan.planId !== planId),
  );
}
