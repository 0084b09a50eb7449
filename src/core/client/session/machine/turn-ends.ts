import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { StateUpdate } from '../../../model/update.ts';
import type { LostTurn, TurnOutcome } from './effects.ts';
import { settle, settleSteered } from './pending.ts';
import { endCollecting, endReplay } from './replay.ts';
import { type AgentFailure, isNamed, noEnd, type Turn, type TurnEnd } from './state.ts';
import { type Step, withdraw } from './step.ts';

/** Ends a turn as the agent ended it. */
export function endTurn(step: Step, turn: Turn, end: TurnEnd): void {
  const { key, messageId, meta } = turn;
  // Without effect where the agent has answered the prompt.
  step.do({ type: 'accept', key, messageId, meta });
  // What the agent has not repeated by now it does not repeat: the prompt stands as it was sent.
  settle(step, key);
  if (end.stopReason !== 'error') {
    const { stopReason, usage } = end;
    // An agent that is busy can cancel a prompt at once.
    if (stopReason !== 'cancelled') step.state.latestDone = Math.max(step.state.latestDone, turn.sentAt);
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
 * Ends the turns that the agent forgot: those that it accepted and has not begun in a long time, if they are cancelled,
 * because an agent that has nothing to stop need not say so, or were sent again, because their work may have ended before.
 * Others end if the agent has ended a later one and was silent for a long time.
 */
export function endForgotten(step: Step): void {
  const { turns, isCancelling, reported, reportedIdle, latestDone } = step.state;
  if (reported !== 'idle') return;
  for (const turn of turns.filter(({ isStalled }) => isStalled)) {
    const isPassed = turn.sentAt < latestDone;
    const isUnbegun = turn.isAccepted && !turn.hasBegun;
    if (isCancelling && (isUnbegun || isPassed)) endTurn(step, turn, { stopReason: 'cancelled' });
    else if (isPassed || (isUnbegun && turn.attempts > 1)) endTurn(step, turn, reportedIdle?.end ?? noEnd);
  }
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

export function closeTurn(step: Step, turn: Turn, end: TurnEnd, outcome: TurnOutcome | LostTurn): void {
  const { state } = step;
  const isOther = ({ key }: Turn) => key !== turn.key;
  state.turns = state.turns.filter(isOther);
  state.held = state.held.filter(isOther);
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

/**
 * Ends what is under way, because the agent or the session has ended.
 *
 * @param interruption - What the transcript says of it. `undefined`: nothing.
 */
export function interrupt(step: Step, error: unknown, interruption: string | undefined): void {
  const { state } = step;
  endReplay(step);
  endCollecting(step);
  withdraw(step, 'closed', () => true);
  const { turns } = state;
  for (const turn of turns) {
    if (error === undefined) cancelTurn(step, turn);
    else failTurn(step, turn, { error, acceptance: acceptanceOf(turn) });
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
  if (interruption !== undefined) showFailure(step, 'interrupted', interruption);
}

/** Ends a turn that the end of the connection cut off. */
export function failTurn(step: Step, turn: Turn, outcome: TurnOutcome | LostTurn): void {
  // An agent that has ended does not confirm the prompt any more.
  settle(step, turn.key);
  closeTurn(step, turn, noEnd, outcome);
}

/** What is known of a prompt where the connection ended. */
export function acceptanceOf(turn: Turn): LostTurn['lost'] {
  return isNamed(turn) ? 'accepted' : turn.hasBegun ? 'begun' : 'unknown';
}

/** Ends a turn as the user asked, where the agent does not say how it ended. */
export function cancelTurn(step: Step, turn: Turn): void {
  const { key, messageId } = turn;
  settle(step, key);
  closeTurn(step, turn, { stopReason: 'cancelled' }, { result: { stopReason: 'cancelled', messageId } });
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

/** Shows what the session does. Version 1 does not report it: it follows from the open prompts and requests. */
export function showActivity(step: Step): void {
  const { state } = step;
  if (step.rules !== 'response') return;
  const isIdle = state.turns.length === 0 && state.requests.length === 0;
  const activity: StateUpdate = {
    sessionUpdate: 'state_update',
    state: state.requests.length > 0 ? 'requires_action' : isIdle ? 'idle' : 'running',
    ...((isIdle && state.lastEnd) || noEnd),
  };
  const shown = state.shownActivity ?? idleActivity;
  // A session is not idle between the ends of two turns: two idle activities in a row have the same error and usage.
  if (shown.state === activity.state && shown.stopReason === activity.stopReason) return;
  state.shownActivity = activity;
  step.fold(activity);
}

const idleActivity: StateUpdate = { sessionUpdate: 'state_update', state: 'idle', stopReason: null };
