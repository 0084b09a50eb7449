import type { DiagnosticListener } from '../../core/base/diagnostic.ts';
import { redact } from '../../core/trace/redact.ts';
import type { Trace } from '../../core/trace/trace.ts';
import type { VsCode } from './api.ts';

/** A log of VS Code, in its Output panel. */
export type Log = ReturnType<VsCode['window']['createOutputChannel']>;

const levels = { error: 'error', warning: 'warn', info: 'info' } as const;

/** Writes diagnostics to a log, and the messages while its level is Trace. Spread it into the options of `connect`. */
export function logOptions(
  vscode: VsCode,
  log: Log,
): { readonly onDiagnostic: DiagnosticListener; readonly trace: Trace } {
  const isTraced = () => log.logLevel === vscode.LogLevel.Trace;
  return {
    onDiagnostic: ({ severity, message }) => log[levels[severity]](message),
    trace: {
      // The search for secrets takes time: it is for records that are written.
      redact: (message) => (isTraced() ? redact(message) : null),
      write({ dir, msg }) {
        if (isTraced()) log.trace(`${dir} ${JSON.stringify(msg)}`);
      },
    },
  };
}
