import type { JsonObject } from '../json.ts';

/** One task of a plan. */
export interface PlanEntry {
  readonly content: string;
  readonly priority: 'high' | 'medium' | 'low' | (string & {});
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled' | (string & {});
  readonly _meta?: JsonObject | null;
}

/** A plan of the agent's. Version 1 has one, whose `planId` is `plan`. */
export interface Plan {
  readonly planId: string;
  readonly entries: readonly PlanEntry[];
  /** Set where the plan is of a kind other than a list of entries: the payload as it came. */
  readonly other?: JsonObject;
}
