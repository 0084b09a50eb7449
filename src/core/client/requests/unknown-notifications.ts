import { type DiagnosticListener, preview } from '../../base/diagnostic.ts';

/** How many methods are counted. Further ones are reported each time. */
const maxMethods = 1000;

/**
 * Reports notifications without a handler: once for each method when it comes first, and at the end how often it came.
 * Some agents send an extension notification beside each update.
 */
export function unknownNotifications(report: DiagnosticListener) {
  const counts = new Map<string, number>();
  const about = { rule: 'rpc.unknown_notification', severity: 'info' } as const;
  return {
    take(method: string, params: unknown): void {
      const count = counts.get(method) ?? 0;
      if (count > 0 || counts.size < maxMethods) counts.set(method, count + 1);
      if (count > 0) return;
      const message = `The agent sent the notification ${method}, for which there is no handler. Further ones are counted.`;
      report({ ...about, message, received: preview(params) });
    },
    /** Reports the counts, because the channel ends. */
    finish(): void {
      for (const [method, count] of counts) {
        const message = `The agent sent the notification ${method} ${count} times, for which there is no handler.`;
        if (count > 1) report({ ...about, message });
      }
      counts.clear();
    },
  };
}
