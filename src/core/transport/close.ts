import { type DiagnosticListener, errorMessage } from '../base/diagnostic.ts';
import { withLimits } from '../base/wait.ts';
import type { Transport } from './transport.ts';

/** How long a connection waits for `close` of a transport that does not set `closeTimeoutMs`, in milliseconds. */
export const defaultCloseTimeoutMs = 10_000;

/** Closes a transport. Never rejects: a transport that fails to close, or takes too long, is reported. */
export async function closeTransport(transport: Transport, report: DiagnosticListener): Promise<void> {
  const { closeTimeoutMs: timeoutMs = defaultCloseTimeoutMs } = transport;
  const timeoutError = () => new Error(`it did not settle within ${timeoutMs} ms`);
  const closing = (async () => transport.close())();
  try {
    await withLimits(closing, { timeoutMs, timeoutError });
  } catch (error) {
    const message = `close() of the transport failed: ${errorMessage(error)}. The connection ended without it. What the transport uses may still be open: correct its close().`;
    report({ rule: 'transport.close_failed', severity: 'error', message });
  }
}
