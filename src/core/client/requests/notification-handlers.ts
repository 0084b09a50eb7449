import { type DiagnosticListener, listenerFailed, warning } from '../../base/diagnostic.ts';

/** How many handlers of notifications run at once. A burst that is read in one stretch starts thousands. */
export const maxNotificationHandlers = 10_000;

/** Returns what calls the editor's handlers of notifications beside the read loop. */
export function notificationCalls(report: DiagnosticListener) {
  let running = 0;
  return (method: string, handler: () => unknown): void => {
    if (running >= maxNotificationHandlers) {
      const message = `The agent sent the notification ${method} while ${maxNotificationHandlers} handlers of notifications ran. It was dropped.`;
      report(warning('rpc.too_many_notifications', message));
      return;
    }
    running++;
    Promise.resolve()
      .then(handler)
      .catch(listenerFailed(`The handler of ${method}`, report, 'handler.failed'))
      .finally(() => {
        running--;
      });
  };
}
