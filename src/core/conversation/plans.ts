import type { Plan } from '../model/plan.ts';
import type { PlanRemoved, PlanUpdate, SolePlanUpdate } from '../model/update.ts';
import type { Draft } from './draft.ts';
import { patchMeta } from './meta.ts';
import { sentPlan } from './sent-plan.ts';

/** How many plans a conversation has. Each update copies the list of the plans. */
export const maxPlans = 1000;

/** Adds a plan, or replaces the one with the same id. The oldest plan makes room for one that is too many. */
export function planUpdate(draft: Draft, { plan, _meta }: PlanUpdate): void {
  const meta = patchMeta(patchMeta(null, plan._meta), _meta);
  const next: Plan = { ...sentPlan(plan), ...(meta && { _meta: meta }) };
  const { plans } = draft.fields;
  const index = plans.findIndex(({ planId }) => planId === next.planId);
  draft.set('plans', index < 0 ? [...plans, next].slice(-maxPlans) : plans.with(index, next));
}

/** Replaces the plan of an agent that has only one. */
export function solePlan(draft: Draft, { entries, _meta }: SolePlanUpdate): void {
  const plan = { type: 'items' as const, planId: 'plan', entries };
  planUpdate(draft, { sessionUpdate: 'plan_update', plan, ...(_meta && { _meta }) });
}

/** Removes a plan. */
export function planRemoved(draft: Draft, { planId }: PlanRemoved): void {
  const left = draft.fields.plans.filter((plan) => plan.planId !== planId);
  draft.set('plans', left);
}
