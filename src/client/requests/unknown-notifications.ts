import { type DiagnosticListener, preview } from '../../base/diagnostic.ts';

/** How many methods are counted. Further ones are reported each time. */
const maxMethods = 1000;

/**
 * Reports notifications without a handler: once for each method when it comes first, and at the end how often it came.
 * Some agents send an extension notification beside each update.
 */
export class UnknownNotifications {
  readonly #counts = new Map<string, number>();
  readonly #report: DiagnosticListener;

  constructor(report: DiagnosticListener) {
    this.#report = report;
  }

  take(method: string, params: unknown): void {
    const count = this.#counts.get(method) ?? 0;
    if (count > 0 || this.#counts.size < maxMethods) this.#counts.set(method, count + 1);
    if (count > 0) return;
    this.#report({
      rule: 'rpc.unknown_notification',
      severity: 'info',
      message: `The agent sent the notification ${method}, for which there is no handler. Further ones are counted.`,
      received: preview(params),
    });
  }

  /** Reports the counts, because the channel ends. */
  finish(): void {
    for (const [method, count] of this.#counts) {
      if (count < 2) continue;
      const message = `The agent sent the notification ${method} ${count} times, for which there is no handler.`;
      this.#report({ rule: 'rpc.unknown_notification', severity: 'info', message });
    }
    this.#counts.clear();
  }
}
