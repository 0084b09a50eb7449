import type { StateUpdate } from '../../../model/update.ts';
import { noEnd } from './state.ts';
import type { Step } from './step.ts';

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
