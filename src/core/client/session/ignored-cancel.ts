import { type DiagnosticListener, warning } from '../../base/diagnostic.ts';
import { showsWork } from './machine/update-kinds.ts';
import type { SessionRunner } from './runner.ts';

/** How long after a cancel an agent may send the rest of its work, in milliseconds. */
const restMs = 3000;

/** Reports once that a turn goes on after the cancel that was just sent. */
export function watchCancel(runner: SessionRunner, report: DiagnosticListener): void {
  const sentAt = performance.now();
  const { sessionId, turnKey } = runner;
  const stop = runner.updates.add((update) => {
    const { state } = runner;
    if (!state.isCancelling || runner.turnKey !== turnKey) return stop();
    const afterMs = Math.round(performance.now() - sentAt);
    if (afterMs <= restMs || !showsWork(state, update)) return;
    stop();
    const message = `The session ${JSON.stringify(sessionId)} was cancelled, and its turn goes on: the agent sent "${update.sessionUpdate}" ${afterMs} ms later. Cancel again, wait for the end of the turn, or start the agent again.`;
    report({ ...warning('session.cancel_ignored', message, update), sessionId });
  });
}
