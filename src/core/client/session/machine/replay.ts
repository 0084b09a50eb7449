import type { HistoryState } from './state.ts';
import type { Step } from './step.ts';

type States = ReadonlySet<HistoryState>;

/** What comes is news. */
export const news: States = new Set(['live', 'loaded', 'replay']);

/** History is folded into a conversation beside the shown one. */
export const collecting: States = new Set(['collect', 'late', 'unshown', 'awaited', 'arriving']);

/** History may come with the next prompt. */
export const awaited: States = new Set(['awaited', 'arriving']);

/** The shown conversation does not have yet what came after the answer. */
export const unshown: States = new Set(['unshown', 'arriving']);

/** From here on what the agent sends is not history any more. */
export function beginWork(step: Step): void {
  if (!step.state.history.before) endCollecting(step);
}

export function endCollecting(step: Step): void {
  const { state } = step;
  const { is, before } = state.history;
  if (collecting.has(is)) {
    step.do({ type: 'stores', change: 'merge' });
    step.do({ type: 'stores', change: 'discard' });
  }
  state.history = before ? { is: 'loaded', before } : { is: 'live' };
}

/** A turn is over, or work on it needs the user. The history that comes with a prompt has come, and the answer too. */
export function endExpectedHistory(step: Step): void {
  if (!awaited.has(step.state.history.is)) return;
  step.do({ type: 'stores', change: 'mergeTurn' });
  endCollecting(step);
}

/**
 * A call that opens the session failed. Brings back the conversation before a load, with what was not part of the replay. A
 * session that was not open has none: a complete history stays.
 */
export function endReplay(step: Step): void {
  const { state } = step;
  const { history, phase } = state;
  if (state.replayed === 'underWay') state.replayed = 'truncated';
  if (!history.before) return;
  state.history = { is: 'live' };
  state.shownActivity = history.before.activity;
  state.lastEnd ??= history.before.end;
  const isKept = phase === 'opening' && state.replayed === 'complete';
  step.do({ type: 'stores', change: isKept ? 'release' : 'restore' });
}
