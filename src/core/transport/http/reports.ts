import { type Diagnostic, warning } from '../../base/diagnostic.ts';
import type { AcpError } from '../../base/errors.ts';

/** An event that is not a message. */
export function noise(what: string, text: string): Diagnostic {
  return warning('transport.noise', `The server sent an event ${what}.`, text);
}

/** A stream broke whose events have ids. */
export function streamBroke(what: string, error: AcpError, delayMs: number): Diagnostic {
  return {
    rule: 'transport.stream',
    severity: 'info',
    message: `The stream of ${what} broke, and is opened again in ${Math.round(delayMs)} ms where it broke. ${error.message}`,
  };
}

/** Nothing says what the agent sent before an answer. */
export function unordered(reason: string): Diagnostic {
  const message = `The order between the answers of this server and the messages of a session is not certain: ${reason}. An answer waits until the session's stream has brought nothing for a moment.`;
  return warning('transport.order', message);
}
