import { type DiagnosticListener, listenerFailed, preview, warning } from '../../base/diagnostic.ts';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { AuthStatus } from '../../protocol/calls.ts';

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

/**
 * Reads `auth/status_update`.
 *
 * @see https://agentclientprotocol.com/rfds/get-auth-state
 */
export function authStatusOf({ state, accounts }: JsonObject): AuthStatus | undefined {
  if (typeof state !== 'string') return undefined;
  return { state, accounts: Array.isArray(accounts) ? accounts.filter(isJsonObject) : [] };
}

/** Reads `_auth/status_update`, which some agents send while the method of the protocol is not stable. */
export function authStatusOfExtension({ authStatus }: JsonObject): AuthStatus | undefined {
  if (!isJsonObject(authStatus) || typeof authStatus['kind'] !== 'string') return undefined;
  const { kind, label, account } = authStatus;
  if (kind === 'none') return { state: 'unauthenticated', accounts: [] };
  const { email, organization } = isJsonObject(account) ? account : {};
  const known = {
    label: typeof label === 'string' ? label : kind,
    ...(typeof email === 'string' && { email }),
    ...(typeof organization === 'string' && { organization }),
    _meta: { authStatus },
  };
  return { state: 'authenticated', accounts: [known] };
}
