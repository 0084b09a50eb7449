import type { Diagnostic, DiagnosticListener } from '../../base/diagnostic.ts';

/**
 * Reports requests of the agent for which the editor has no handler: once for each handler in a connection. A handler
 * has the name of the option in `handlers` of `connect`.
 */
export class MissingHandlers {
  readonly #reported = new Set<string>();
  readonly #report: DiagnosticListener;

  constructor(report: DiagnosticListener) {
    this.#report = report;
  }

  /** The user should have answered a request. The agent takes the answer for the user's. */
  unasked(handler: string, what: string): void {
    const message = `${what}, and there is no handler ${handler}. The request was answered cancelled, as each further one will be. Pass handlers with ${handler} to connect.`;
    this.#once(handler, 'warning', message);
  }

  /** A request was refused with an error, because the client did not advertise it. The agent continues without it. */
  refused(handler: string, request: string, code: number): void {
    const message = `The agent sent ${request}, which this client does not advertise, because there is no handler ${handler}. It was answered with error ${code}. If the agent may do this, pass handlers with ${handler} to connect.`;
    this.#once(handler, 'info', message);
  }

  #once(handler: string, severity: Diagnostic['severity'], message: string): void {
    if (this.#reported.has(handler)) return;
    this.#reported.add(handler);
    this.#report({ rule: 'handler.missing', severity, message });
  }
}
