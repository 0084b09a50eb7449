import type { JsonObject, JsonValue } from '../../../base/json.ts';
import { showActivity } from './activity.ts';
import { settleSteered } from './pending.ts';
import { endCollecting, endReplay } from './replay.ts';
import { type AgentFailure, noEnd, type Turn, type TurnEnd, type TurnOutcome } from './state.ts';
import { type Step, withdraw } from './step.ts';

/** Ends a turn as the agent ended it. */
export function endTurn(step: Step, turn: Turn, end: TurnEnd): void {
  const { key, messageId, meta } = turn;
  // Without effect where the agent has answered the prompt.
  step.do({ type: 'accept', key, messageId, meta });
  // What the agent has not repeated by now it does not repeat: the prompt stands as it was sent.
  step.fold({ sessionUpdate: 'prompt_settled', key, accepted: true });
  if (end.stopReason !== 'error') {
    const { stopReason, usage } = end;
    const _meta = end._meta ? { ...meta, ...end._meta } : meta;
    const result = { stopReason, messageId, ...(usage && { usage }), ...(_meta && { _meta }) };
    closeTurn(step, turn, end, { result });
    return;
  }
  const failure = failureOf(end);
  closeTurn(step, turn, end, { failure });
  showFailure(step, 'failed', failure.message, failure.code);
}

/**
 * Ends the turns that are cancelled and that the agent has not begun in a long time. An agent that has nothing to stop
 * need not say so.
 */
export function endUnbegun(step: Step): void {
  const { turns, isCancelling, reported } = step.state;
  if (!isCancelling || reported !== 'idle') return;
  const unbegun = turns.filter(({ isAccepted, isStalled, hasBegun }) => isAccepted && isStalled && !hasBegun);
  for (const turn of unbegun) endTurn(step, turn, { stopReason: 'cancelled' });
}

/** The error as an agent of version 2 reports it. */
export function errorOf({ code, message, reason = message, data }: AgentFailure): JsonObject {
  // The data was read from a message, so it is JSON.
  return { code, message: reason, ...(data !== undefined && { data: data as JsonValue }) };
}

function failureOf({ error }: TurnEnd): AgentFailure {
  const { code, message, data } = error ?? {};
  return {
    code: typeof code === 'number' ? code : -32603,
    message: typeof message === 'string' && message !== '' ? message : 'The turn failed.',
    data,
  };
}

export function closeTurn(step: Step, turn: Turn, end: TurnEnd, outcome: TurnOutcome): void {
  const { state } = step;
  state.turns = state.turns.filter(({ key }) => key !== turn.key);
  state.lastEnd = end;
  if (!turn.isAbandoned) step.do({ type: 'settle', key: turn.key, outcome });
  if (state.turns.length > 0) return;
  settleSteered(step);
  // The answer about a steered message can name one that the agent has reported during the turn.
  if (state.pending.length === 0) state.reportedMessages = null;
  if (step.rules === 'state_update') return;
  const isStopped = state.isCancelling || end.stopReason === 'cancelled' || !('result' in outcome);
  state.isCancelling = false;
  // Version 1 does not report background work: what is in progress at the end of a turn can run on.
  step.fold({ sessionUpdate: 'unfinished_cancelled', ...(!isStopped && { except: 'in_progress' }) });
}

/** Ends what is under way, because the agent or the session has ended. */
export function interrupt(step: Step, error: unknown, interruption: string | undefined): void {
  const { state } = step;
  endReplay(step);
  endCollecting(step);
  withdraw(step, 'closed', () => true);
  const { turns } = state;
  for (const turn of turns) {
    // An agent that has ended does not confirm the prompt any more.
    step.fold({ sessionUpdate: 'prompt_settled', key: turn.key, accepted: true });
    const isNamed = turn.isAccepted || turn.messageId !== null;
    const acceptance = isNamed ? 'accepted' : turn.hasBegun ? 'begun' : 'unknown';
    const { messageId } = turn;
    const outcome: TurnOutcome =
      error === undefined ? { result: { stopReason: 'cancelled', messageId } } : { error, acceptance };
    closeTurn(step, turn, error === undefined ? { stopReason: 'cancelled' } : noEnd, outcome);
  }
  if (state.reported !== 'idle' || state.background.length > 0) {
    const end = state.reported === 'idle' ? state.reportedIdle?.end : undefined;
    step.fold({ sessionUpdate: 'state_update', state: 'idle', ...end });
  }
  state.reported = 'idle';
  state.reportedIdle = null;
  state.background = [];
  state.isCancelling = false;
  step.fold({ sessionUpdate: 'unfinished_cancelled' });
  if (interruption !== undefined && turns.length > 0) showFailure(step, 'interrupted', interruption);
}

/** Leaves an entry in the transcript for a turn that did not end by itself. The session is idle before, in each version. */
export function showFailure(
  step: Step,
  cause: 'failed' | 'interrupted',
  reason: string,
  code?: number,
): void {
  showActivity(step);
  step.fold({ sessionUpdate: 'turn_failed', cause, reason, ...(code !== undefined && { code }) });
}
