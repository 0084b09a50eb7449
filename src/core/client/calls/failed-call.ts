import { AcpError, ConnectionClosedError, HttpError, TimeoutError } from '../../base/errors.ts';
import { type RetryClass, retryClassOf } from '../../protocol/retry-classes.ts';
import type { Link } from './link.ts';

/** The more careful one comes later. */
const byCare: readonly RetryClass[] = ['asIs', 'withKey', 'no'];

/** The error of a call that failed. If its answer was lost, it says what a program may do. */
export function failedCall(given: unknown, method: string, { dialect, peer }: Link): unknown {
  if (!AcpError.is(given) || !(isLoss(given) || given === peer.refusal(method))) return given;
  const error = ofCall(given, method);
  const classes = [retryClassOf(method, dialect.name), error.retry ?? 'asIs'];
  // One error of the channel can reject several calls.
  error.retry = byCare.findLast((each) => classes.includes(each)) ?? 'no';
  return error;
}

/** The error of this call alone, where the channel has given one for all that it lost. */
function ofCall(error: AcpError, method: string): AcpError {
  if (error.method !== undefined || !(error instanceof ConnectionClosedError)) return error;
  const { message, exit, socketClose } = error;
  return new ConnectionClosedError(message, { method, exit, socketClose, cause: error });
}

/** Whether an error says that the answer is lost, and not that nothing was sent. */
function isLoss(error: AcpError): boolean {
  if (error instanceof HttpError)
    return error.status === 409 || (error.status >= 500 && error.status !== 503);
  return error instanceof ConnectionClosedError;
}

/** The error of a call whose limit is over while the agent is away. */
export function notBackError(method: string, timeoutMs: number, retry: RetryClass): TimeoutError {
  const message = `The connection was lost before the agent answered ${method}, and was not restored within ${timeoutMs} ms. The call was not sent again. A longer timeoutMs gives the agent more time.`;
  return Object.assign(new TimeoutError(message, { method, timeoutMs }), { retry });
}
