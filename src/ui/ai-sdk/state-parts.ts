import type { Conversation } from '../../core/model/conversation.ts';
import type { AcpMessageMetadata, AcpPart } from './message-type.ts';

/** What a session has beside its transcript. */
export function stateOf({ entries, terminals, activity, pendingMessages, cursors, ...state }: Conversation) {
  return state;
}

/**
 * The parts for what a session has beside its transcript. They are the first of the last message: a session has one plan
 * and one usage now, and does not remember which it had in an earlier turn.
 */
export function stateParts(conversation: Conversation): readonly AcpPart[] {
  const { plans, usage, subagents = [], ...data } = stateOf(conversation);
  const id = data.sessionId;
  return [
    { type: 'data-session', id, data },
    ...(usage ? [{ type: 'data-usage', id, data: usage } as const] : []),
    ...plans.map((plan) => ({ type: 'data-plan', id: plan.planId, data: plan }) as const),
    ...subagents.map((agent) => ({ type: 'data-subagent', id: agent.sessionId, data: agent }) as const),
  ];
}

/** How the last turn ended. `undefined` while a turn runs. */
export function turnMetadata({ activity }: Conversation): AcpMessageMetadata | undefined {
  const { state, stopReason, usage } = activity;
  return state === 'idle' ? { stopReason, ...(usage && { usage }) } : undefined;
}
