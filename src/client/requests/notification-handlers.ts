import { type DiagnosticListener, listenerFailed } from '../../base/diagnostic.ts';

/** How many handlers of notifications run at once. A burst that is read in one stretch starts thousands. */
export const maxNotificationHandlers = 10_000;

/** Calls the editor's handlers of notifications beside the read loop. */
export class NotificationHandlers {
  readonly #report: DiagnosticListener;
  #running = 0;

  constructor(report: DiagnosticListener) {
    this.#report = report;
  }

  call(method: string, handler: () => unknown): void {
    if (this.#running >= maxNotificationHandlers) {
      const message = `The agent sent the notification ${method} while ${maxNotificationHandlers} handlers of notifications ran. It was dropped.`;
      this.#report({ rule: 'rpc.too_many_notifications', severity: 'warning', message });
      return;
    }
    this.#running++;
    Promise.resolve()
      .then(handler)
      .catch(listenerFailed(`The handler of ${method}`, this.#report, 'handler.failed'))
      .finally(() => {
        this.#running--;
      });
  }
}
