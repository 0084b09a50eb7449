import type { Diagnostic, DiagnosticListener, DiagnosticRule } from '../base/diagnostic.ts';
import { listenerForErrors } from '../base/listeners.ts';
import { printable, shortened } from '../base/printable.ts';
import type { SentSecrets } from '../base/secrets.ts';

/** How many diagnostics of one rule are passed on in a second. The others are counted. */
export const maxDiagnosticsPerSecond = 50;

const windowMs = 1000;

/** The longest message of a diagnostic, in characters: an agent may call a method with a name of many megabytes. */
const maxMessageLength = 2000;

/** Shortens a diagnostic, and removes secrets and control characters. */
function presentable(diagnostic: Diagnostic, secrets: SentSecrets): Diagnostic {
  // A secret with escape sequences between its characters is found when they are removed.
  const safe = (text: string) => secrets.removeFromText(printable(text));
  const { message, received } = diagnostic;
  return {
    ...diagnostic,
    message: shortened(safe(message), maxMessageLength),
    ...(received !== undefined && { received: safe(received) }),
  };
}

/**
 * Writes warnings and errors to the console, the first of each rule, for an editor that does not take diagnostics. The
 * console of Node writes warnings to stderr, so that what the editor prints on stdout stays whole.
 */
export function printDiagnostics(secrets: SentSecrets) {
  const printed = new Set<DiagnosticRule>();
  const print = listenerForErrors((diagnostic: Diagnostic) => {
    const { rule, severity, message, received } = presentable(diagnostic, secrets);
    const what = received === undefined ? message : `${message} Received: ${received}`;
    // biome-ignore lint/suspicious/noConsole: the one place where this library prints.
    console.warn(
      `acp-client-sdk: ${severity} ${rule}: ${what}\nFurther diagnostics of this rule are not printed. Pass onDiagnostic to connect to receive all diagnostics instead.`,
    );
  });
  return {
    report(diagnostic: Diagnostic) {
      if (diagnostic.severity === 'info' || printed.has(diagnostic.rule)) return;
      printed.add(diagnostic.rule);
      print(diagnostic);
    },
    finish() {},
  };
}

/**
 * Limits how many diagnostics reach the listener, shortens them and removes secrets and control characters. The number
 * of those that are left out is reported within a second. An error of the listener is ignored.
 */
export function rateLimitDiagnostics(listener: DiagnosticListener, secrets: SentSecrets) {
  const tell = listenerForErrors(listener);
  const recents = new Map<DiagnosticRule, { since: number; passed: number; leftOut: number }>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const pass = (diagnostic: Diagnostic) => tell(presentable(diagnostic, secrets));

  /** Reports what is left to report, and stops the timer. */
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
