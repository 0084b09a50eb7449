import type { JsonObject } from '../base/json.ts';

/** A task of a plan. */
export interface PlanEntry {
  readonly content: string;
  readonly priority: 'high' | 'medium' | 'low' | (string & {});
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled' | (string & {});
  readonly _meta?: JsonObject | null;
}

/** A plan from the agent. A version 1 agent has one plan, with the `planId` `plan`. */
export interface Plan {
  readonly planId: string;
  readonly entries: readonly PlanEntry[];
  /** The plan unchanged, if it is not a list of entries. @experimental */
  readonly other?: JsonObject;
  /** `_meta` of the last update, and of the plan in it. */
  readonly _meta?: JsonObject;
}
