import { codeOf, type Diagnostic, errorMessage, warning } from '../../base/diagnostic.ts';
import { type AcpError, TimeoutError } from '../../base/errors.ts';

/** The reason of a failed `fetch`. Node has it in the cause. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = codeOf(cause);
  const said = cause === undefined ? '' : errorMessage(cause);
  const text = said === '' ? errorMessage(error) : said;
  return code !== undefined && !text.includes(code) ? `${text} (${code})`.trim() : text;
}

/**
 * What a failed `fetch` threw, for the cause of an error that programs print: its text and its code. Other fields of it
 * can hold what the server sent, which may repeat the headers.
 */
export function fetchCause(error: unknown, withoutSecrets: (text: string) => string): Error {
  const cause = error instanceof Error ? error.cause : undefined;
  const options = cause === undefined ? undefined : { cause: fetchCause(cause, withoutSecrets) };
  const plain = new Error(withoutSecrets(errorMessage(error)), options);
  const code = codeOf(error);
  return code === undefined ? plain : Object.assign(plain, { code });
}

export function timeoutError(what: string, where: string, timeoutMs: number): TimeoutError {
  const message = `${what}: ${where} did not answer within ${timeoutMs} ms. Check the network and the server. In a browser without HTTP/2, six open streams are the most.`;
  return new TimeoutError(message, { timeoutMs });
}

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
