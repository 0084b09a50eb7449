import { AcpError, ConnectionClosedError } from '../base/errors.ts';

/** The error of a channel for anything that was thrown. */
export function transportError(error: unknown): AcpError {
  return AcpError.is(error)
    ? error
    : new ConnectionClosedError('The connection to the server failed.', { cause: error });
}
