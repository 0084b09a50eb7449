import type { HistoryTarget } from './state.ts';
import type { Step } from './step.ts';

type Targets = ReadonlySet<HistoryTarget>;

/** History is folded into a conversation beside the shown one. */
export const collecting: Targets = new Set(['collect', 'late', 'unshown', 'awaited', 'arriving']);

/** History may come with the next prompt. */
export const awaited: Targets = new Set(['awaited', 'arriving']);

/** The shown conversation does not have yet what came after the answer. */
export const unshown: Targets = new Set(['unshown', 'arriving']);

/** From here on what the agent sends is not history any more. */
export function beginWork(step: Step): void {
  if (step.state.replay === null) endCollecting(step);
}

export function endCollecting(step: Step): void {
  const { state } = step;
  if (collecting.has(state.historyTarget)) {
    step.do({ type: 'stores', change: 'merge' });
    step.do({ type: 'stores', change: 'discard' });
  }
  state.historyTarget = 'live';
}

/** A turn is over, or work on it needs the user. The history that comes with a prompt has come, and the answer too. */
export function endExpectedHistory(step: Step): void {
  if (!awaited.has(step.state.historyTarget)) return;
  step.do({ type: 'stores', change: 'mergeTurn' });
  endCollecting(step);
}

/**
 * A call that opens the session failed. Brings back the conversation before a load, with what was not part of the replay. A
 * session that was not open has none: a complete history stays.
 */
export function endReplay(step: Step): void {
  const { state } = step;
  const { replay, phase } = state;
  if (state.replayed === 'underWay') state.replayed = 'truncated';
  if (!replay) return;
  state.replay = null;
  state.historyTarget = 'live';
  state.shownActivity = replay.activity;
  state.lastEnd ??= replay.previousEnd;
  const isKept = phase === 'opening' && state.replayed === 'complete';
  step.do({ type: 'stores', change: isKept ? 'release' : 'restore' });
}
