import type { Diagnostic, DiagnosticListener, DiagnosticRule } from '../diagnostic.ts';
import { printable, shortened } from '../printable.ts';

/** How many diagnostics of one rule are passed on in a second; the rest is counted. */
export const maxDiagnosticsPerSecond = 50;

const windowMs = 1000;

/** An agent may call a method by a name that fills a line of many megabytes. */
const maxMessageLength = 2000;

interface Recent {
  since: number;
  passed: number;
  leftOut: number;
}

/** The way to the editor's listener, and its end. */
export interface Reporting {
  readonly report: DiagnosticListener;
  /** Tells what was left out, and stops the clock. */
  finish(): void;
}

/**
 * Guards whoever listens for faults, and guards from them: a listener that throws does no harm, an agent that is
 * wrong a million times does not drown the editor, and nothing in a diagnostic acts where it is shown. What is left
 * out is counted, and told within a second.
 */
export function guardReports(listener: DiagnosticListener | undefined): Reporting {
  const recents = new Map<DiagnosticRule, Recent>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const tell = (diagnostic: Diagnostic) => {
    const { message, received } = diagnostic;
    try {
      listener?.({
        ...diagnostic,
        message: printable(shortened(message, maxMessageLength)),
        ...(received !== undefined && { received: printable(received) }),
      });
    } catch {
      // There is nobody left to tell.
    }
  };

  const finish = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const [rule, { leftOut }] of recents) {
      if (leftOut === 0) continue;
      const message = `${leftOut} more of the kind ${rule} came within a second, and were left out.`;
      tell({ rule, severity: 'warning', message });
    }
    recents.clear();
  };

  const report = (diagnostic: Diagnostic) => {
    if (!listener) return;
    const now = performance.now();
    let recent = recents.get(diagnostic.rule);
    if (!recent || (recent.leftOut === 0 && now - recent.since >= windowMs)) {
      recent = { since: now, passed: 0, leftOut: 0 };
      recents.set(diagnostic.rule, recent);
    }
    if (recent.passed < maxDiagnosticsPerSecond) {
      recent.passed++;
      tell(diagnostic);
      return;
    }
    recent.leftOut++;
    timer ??= setTimeout(finish, windowMs);
  };

  return { report, finish };
}
