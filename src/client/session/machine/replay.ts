import { noEnd } from './state.ts';
import type { Step } from './step.ts';

/** The user sends a prompt. The history may come now. */
export function beginTurn(step: Step): void {
  if (!step.state.awaitsReplayEnd) beginWork(step);
}

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
  state.awaitsReplayEnd = false;
}

/** A turn is over, or work on it needs the user. The history that comes with a prompt has come. */
export function endExpectedHistory(step: Step): void {
  if (step.state.awaitsReplayEnd) endCollecting(step);
}

/** The history is complete, as far as it has come. With an open turn, what follows is the work on it. */
export function endLateHistory(step: Step): void {
  const { state } = step;
  if (state.awaitsReplayEnd && state.turns.length > 0) return endCollecting(step);
  state.awaitsReplayEnd = false;
  if (state.historyTarget === 'collect') step.do({ type: 'merge' });
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
