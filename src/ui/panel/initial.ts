import { AcpError } from '../../core/base/errors.ts';
import type { ClientConnection } from '../../core/client/connection.ts';
import { settingsOf } from '../../core/conversation/settings.ts';
import type { PanelOptions } from './options.ts';
import { panelError } from './panel-error.ts';
import { refused } from './problems.ts';
import type { MachineRunner } from './runner.ts';
import { sessionParameters } from './sessions.ts';

/** What this file needs of a host. */
interface Host {
  readonly options: PanelOptions;
  readonly connection: ClientConnection | undefined;
  readonly runner: MachineRunner;
  readonly problems: { fault(error: unknown): void };
}

/** Asks what a new session would start with. */
export async function askInitial(host: Host, run: number): Promise<void> {
  const { connection, options, runner, problems } = host;
  if (!connection) return;
  const location = locationOf(connection, options);
  if (!location) return;
  try {
    const { configOptions, commands } = await connection.sessionOptions(location);
    // A mode of version 1 cannot be sent with the opening.
    const settings = settingsOf({ configOptions, modes: null });
    runner.dispatch({ type: 'initial_known', run, settings, commands });
  } catch (error) {
    if (connection === host.connection && isFault(connection, error)) problems.fault(error);
  }
}

/**
 * Keeps a setting for the next new session.
 *
 * @throws a refusal if the agent did not offer the value.
 */
export function chooseInitial({ runner }: Host, settingId: string, value: string | boolean): void {
  const { initial } = runner.state;
  if (!initial) throw panelError('panel.session', 'No session is open. Open one first.');
  const setting = initial.settings.find((each) => each.settingId === settingId);
  const isOffered = setting?.choices
    ? setting.choices.some((choice) => choice.value === value)
    : setting && typeof value === 'boolean';
  if (!isOffered) throw refused('A new session does not have this setting with this value.');
  runner.dispatch({ type: 'initial_chosen', settingId, value });
}

/** Where a new session would be. `undefined` if there is no workspace to ask for. */
function locationOf(connection: ClientConnection, options: PanelOptions) {
  try {
    const { mcpServers: _, ...location } = sessionParameters(connection, options);
    return location;
  } catch {
    // The user learns it from the call that opens a session.
    return undefined;
  }
}

/** Whether the program should learn why the agent did not say it: not if the agent has ended, or does not have the method. */
function isFault({ state }: ClientConnection, error: unknown): boolean {
  const isNone =
    AcpError.is(error) && (error.code === 'remote.method_not_found' || error.retry !== undefined);
  return state === 'open' && !isNone;
}

/** What a new session is opened with: with the settings that the user has chosen. */
export function newSessionParameters({ options, runner }: Host, connection: ClientConnection) {
  const parameters = sessionParameters(connection, options);
  const chosen = [...runner.state.chosen].map(([configId, value]) => ({ configId, value }));
  if (chosen.length === 0 || !connection.supports('session.options')) return parameters;
  return { ...parameters, configOptions: chosen };
}
