import type { JsonObject } from '../base/json.ts';

/** A task of a plan. */
export interface PlanEntry {
  readonly content: string;
  readonly priority: 'high' | 'medium' | 'low' | (string & {});
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled' | (string & {});
  readonly _meta?: JsonObject | null;
}

/** A list of tasks. */
export interface ItemsPlan {
  readonly planId: string;
  readonly type: 'items';
  readonly entries: readonly PlanEntry[];
  /** `_meta` of the last update, and of the plan in it. */
  readonly _meta?: JsonObject;
}

/** A document. */
export interface MarkdownPlan {
  readonly planId: string;
  readonly type: 'markdown';
  /** The whole plan as Markdown. */
  readonly content: string;
  /** The file that has the plan, an absolute path. Absent if the agent names none: the plan can be shown without it. */
  readonly path?: string;
  /** `_meta` of the last update, and of the plan in it. */
  readonly _meta?: JsonObject;
}

/**
 * A plan of another type, as the agent sent it. `type` is declared as `_…`, so that a `switch` narrows the known types.
 * Future types without an underscore have this type as well.
 */
export interface UnknownPlan {
  readonly planId: string;
  readonly type: `_${string}`;
  /** `_meta` of the last update, and of the plan in it. */
  readonly _meta?: JsonObject;
  readonly [key: string]: unknown;
}

/**
 * A plan from the agent. The list of an agent without several plans has the `planId` `plan`.
 *
 * @see https://agentclientprotocol.com/protocol/v2/agent-plan
 */
export type Plan = ItemsPlan | MarkdownPlan | UnknownPlan;
