import type { Diagnostic } from '../../src/core/base/diagnostic.ts';
import type { Transport, TransportListener } from '../../src/core/transport/transport.ts';

/** Listens to a transport. Returns what it has told so far. */
export function listened(
  transport: Transport,
  { onMessage, onDiagnostic, onActivity, ...listener }: Partial<TransportListener> = {},
) {
  const received: unknown[] = [];
  const diagnostics: Diagnostic[] = [];
  let activity = 0;
  transport.listen({
    onMessage(message) {
      received.push(message);
      onMessage?.(message);
    },
    onDiagnostic(diagnostic) {
      diagnostics.push(diagnostic);
      onDiagnostic?.(diagnostic);
    },
    onActivity() {
      activity++;
      onActivity?.();
    },
    ...listener,
  });
  return {
    received,
    diagnostics,
    rules: () => diagnostics.map(({ rule }) => rule),
    /** How often something came. */
    activity: () => activity,
  };
}
