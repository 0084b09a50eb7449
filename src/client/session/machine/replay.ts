import { noEnd } from './state.ts';
import type { Step } from './step.ts';

/** From here on what the agent sends is not history any more. */
export function beginWork(step: Step): void {
  if (step.state.replay === null) endCollecting(step);
}

export function endCollecting(step: Step): void {
  const { state } = step;
  if (state.historyTarget === 'collect') {
    step.do({ type: 'merge' });
    step.do({ type: 'discard' });
  }
  state.historyTarget = 'live';
  state.hasLateHistory = false;
}

/** Brings back the conversation before a load, with what was not part of the replay. */
export function endReplay(step: Step): void {
  const { state } = step;
  const { replay } = state;
  if (!replay) return;
  state.replay = null;
  // What was collected beside the load is not known without it.
  if (state.historyTarget === 'collect') step.do({ type: 'discard' });
  state.historyTarget = 'live';
  state.shownActivity = replay.activity;
  if (state.lastEnd === noEnd) state.lastEnd = replay.previousEnd;
  step.do({ type: 'restore' });
}
