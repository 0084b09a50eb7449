import { type AsksForPermission, asksWith } from '../core/client/session/permission-mode.ts';
import type { SessionSetting } from '../core/conversation/settings.ts';
import { agentNamed } from './find.ts';

/**
 * Whether an agent asks for permission with the settings of a session. It is looked up in a table of this library, so
 * that a newer version of the agent can behave in another way. A handler of `requestPermission` protects only if the
 * agent asks.
 *
 * @param agentName - `connection.agentInfo?.name`, or `state.agent?.name` of a panel.
 * @param settings - What `settingsOf` returns, or `state.settings` of a panel.
 *
 * @example
 * ```ts
 * const { asks, reason } = asksForPermission(agentInfo?.name, settingsOf(session.conversation));
 * if (asks !== 'yes') showWarning(reason);
 * ```
 */
export function asksForPermission(
  agentName: string | undefined,
  settings: readonly SessionSetting[],
): AsksForPermission {
  return asksWith(agentNamed([agentName])?.permissions, settings);
}
