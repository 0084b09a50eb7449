import type { Diagnostic, DiagnosticListener, DiagnosticRule } from '../diagnostic.ts';
import { listenerForErrors } from '../listeners.ts';
import { printable, shortened } from '../printable.ts';
import type { SentSecrets } from '../secrets.ts';

/** How many diagnostics of one rule are passed on in a second. The others are counted. */
export const maxDiagnosticsPerSecond = 50;

const windowMs = 1000;

/** The longest message of a diagnostic, in characters: an agent may call a method with a name of many megabytes. */
const maxMessageLength = 2000;

interface Recent {
  since: number;
  passed: number;
  leftOut: number;
}

/** Reports diagnostics to the editor's listener. */
export interface DiagnosticReporter {
  readonly report: DiagnosticListener;
  /** Reports how many diagnostics were left out, and stops the timer. */
  finish(): void;
}

/**
 * Limits how many diagnostics reach the listener, shortens them and removes secrets and control characters. The number
 * of those that are left out is reported within a second. An error of the listener is ignored.
 */
export function rateLimitDiagnostics(
  listener: DiagnosticListener | undefined,
  secrets: SentSecrets,
): DiagnosticReporter {
  // A secret with escape sequences between its characters is found when they are removed.
  const safe = (text: string) => secrets.removeFromText(printable(text));
  const tell = listener && listenerForErrors(listener);
  const recents = new Map<DiagnosticRule, Recent>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const pass = (diagnostic: Diagnostic) => {
    const { message, received } = diagnostic;
    tell?.({
      ...diagnostic,
      message: shortened(safe(message), maxMessageLength),
      ...(received !== undefined && { received: safe(received) }),
    });
  };

  const finish = () => {
    clearTimeout(timer);
    timer = undefined;
    for (const [rule, { leftOut }] of recents) {
      if (leftOut === 0) continue;
      const message = `${leftOut} more diagnostics of the rule ${rule} were left out within a second.`;
      pass({ rule, severity: 'warning', message });
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
      pass(diagnostic);
      return;
    }
    recent.leftOut++;
    timer ??= setTimeout(finish, windowMs);
  };

  return { report, finish };
}
