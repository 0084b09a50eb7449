import type { Diagnostic, DiagnosticListener } from '../../base/diagnostic.ts';

/**
 * Reports requests of the agent for which the editor has no handler: once for each handler in a connection. A handler
 * has the name of the option in `handlers` of `connect`.
 */
export function missingHandlers(report: DiagnosticListener) {
  const reported = new Set<string>();
  const once = (handler: string, severity: Diagnostic['severity'], message: string) => {
    if (!reported.has(handler)) report({ rule: 'handler.missing', severity, message });
    reported.add(handler);
  };
  return {
    /** The user should have answered a request. The agent takes the answer for the user's. */
    unasked(handler: string, what: string): void {
      const message = `${what}, and there is no handler ${handler}. The request was answered cancelled, as each further one will be. Pass handlers with ${handler} to connect.`;
      once(handler, 'warning', message);
    },
    /** A request was refused with an error, because the client did not advertise it. The agent continues without it. */
    refused(handler: string, request: string, code: number): void {
      const message = `The agent sent ${request}, which this client does not advertise, because there is no handler ${handler}. It was answered with error ${code}. If the agent may do this, pass handlers with ${handler} to connect.`;
      once(handler, 'info', message);
    },
  };
}

export type MissingHandlers = ReturnType<typeof missingHandlers>;
