import type { PanelProblem } from './state.ts';

/** An action of a panel failed. The message is for the user. */
export class PanelError extends Error {
  override readonly name = 'PanelError';
  /** The code of the library's error, such as `remote` or `agent.exit`, or one that begins with `panel.`. */
  readonly code: string;
  /** More than the message, such as the end of the agent's stderr. */
  readonly detail: string | null;
  /** What the user can do about it with an action of the panel. */
  readonly remedy: PanelProblem['remedy'];

  constructor({ message, code, detail, remedy }: PanelProblem) {
    super(message);
    this.code = code;
    this.detail = detail;
    this.remedy = remedy;
  }
}

/** The error of a problem without more to say. */
export function panelError(code: string, message: string, remedy?: PanelProblem['remedy']): PanelError {
  return new PanelError(problem(code, message, remedy));
}

/** A problem without more to say. */
export function problem(code: string, message: string, remedy: PanelProblem['remedy'] = null): PanelProblem {
  return { message, detail: null, code, remedy };
}
