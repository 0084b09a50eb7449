import { type DiagnosticListener, warning } from '../../base/diagnostic.ts';
import { deferred, settlesWithin } from '../../base/wait.ts';
import type { AgentKnowledge } from '../../protocol/agent-knowledge.ts';
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

/** How long a cancel waits for the first sign of its turn, in milliseconds. */
const holdMs = 1000;

/** What sends a cancel. An agent that would lose it now gets it at the first sign of the turn, or after a moment. */
export function sendWhenBegun(
  runner: SessionRunner,
  { dropsEarlyCancel }: AgentKnowledge,
  send: () => Promise<void>,
): () => Promise<void> {
  const { turnKey, state } = runner;
  if (!dropsEarlyCancel || state.turns[0]?.hasBegun !== false) return send;
  return async () => {
    const begun = deferred();
    const stop = runner.updates.add((update) => {
      if (showsWork(runner.state, update)) begun.resolve();
    });
    await settlesWithin(begun.promise, holdMs).finally(stop);
    // It would cancel what the user asks for next.
    if (runner.turnKey === turnKey && runner.state.isCancelling) await send();
  };
}
