import { listenerForErrors } from '../../core/base/listeners.ts';
import type { Session } from '../../core/client/session/session.ts';
import type { PanelOptions } from './options.ts';
import { problemForLog, problemOf, problemOfStart } from './problems.ts';
import type { MachineRunner } from './runner.ts';
import { tellsFailure } from './sessions.ts';
import type { PanelProblem } from './state.ts';

/** Where a problem goes: to the user, to the log of the editor, or to both. What the transcript tells is not shown again. */
export class ProblemReports {
  readonly #runner: MachineRunner;
  readonly #onProblem: (problem: PanelProblem) => void;
  /** The errors that the transcript tells. */
  readonly #told = new WeakSet<object>();

  constructor(options: PanelOptions, runner: MachineRunner) {
    this.#runner = runner;
    this.#onProblem = listenerForErrors((found: PanelProblem) => options.onProblem?.(found));
  }

  /** Takes a problem that the user does not see. */
  report(found: PanelProblem): void {
    this.#onProblem(found);
  }

  /** Takes the error of a function of the editor, which the user does not see. */
  fault(error: unknown): void {
    this.report(problemForLog(error));
  }

  /** Shows an error to the user. */
  fail(error: unknown): void {
    const isTold = this.#told.has(Object(error));
    const problem = problemOf(error);
    this.#runner.dispatch({ type: 'failed', problem, forLog: problemForLog(error), isTold });
  }

  /** Shows why the agent was not started. */
  startFailed(run: number, error: unknown): void {
    const problem = problemOfStart(error);
    const forLog = { ...problemForLog(error), remedy: problem.remedy };
    this.#runner.dispatch({ type: 'start_failed', run, problem, forLog });
  }

  /** Takes the error of a turn before it is shown. */
  turnFailed(session: Session, error: unknown): void {
    const isShown = session === this.#runner.state.shown;
    if (isShown && tellsFailure(session.conversation, error)) this.#told.add(Object(error));
  }
}
