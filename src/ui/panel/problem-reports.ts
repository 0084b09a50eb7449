import { listenerForErrors } from '../../core/base/listeners.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { PanelOptions } from './options.ts';
import { problemForLog, problemOf, problemOfStart } from './problems.ts';
import type { MachineRunner } from './runner.ts';
import { tellsFailure } from './sessions.ts';
import type { PanelProblem } from './state.ts';

export type ProblemReports = ReturnType<typeof problemReports>;

/** Where a problem goes: to the user, to the log of the editor, or to both. What the transcript tells is not shown again. */
export function problemReports(options: PanelOptions, runner: MachineRunner) {
  const report = listenerForErrors((found: PanelProblem) => options.onProblem?.(found));
  /** The errors that the transcript tells. */
  const told = new WeakSet<object>();
  return {
    /** Takes a problem that the user does not see. */
    report,

    /** Takes the error of a function of the editor, which the user does not see. */
    fault: (error: unknown) => report(problemForLog(error)),

    /** Shows an error to the user. */
    fail(error: unknown): void {
      const isTold = told.has(Object(error));
      runner.dispatch({ type: 'failed', problem: problemOf(error), forLog: problemForLog(error), isTold });
    },

    /** Shows why the agent was not started. */
    startFailed(run: number, error: unknown): void {
      const problem = problemOfStart(error);
      const forLog = { ...problemForLog(error), remedy: problem.remedy };
      runner.dispatch({ type: 'start_failed', run, problem, forLog });
    },

    /** Takes the error of a turn before it is shown. */
    turnFailed(session: Session, error: unknown): void {
      const isShown = session === runner.state.shown;
      if (isShown && tellsFailure(session.conversation, error)) told.add(Object(error));
    },
  };
}
