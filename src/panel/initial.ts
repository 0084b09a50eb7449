import { AcpError } from '../base/errors.ts';
import type { ClientConnection } from '../client/connection.ts';
import { type SessionSetting, settingsOf } from '../conversation/settings.ts';
import type { InitialConfigOption } from '../protocol/calls.ts';
import type { InitialState, MachineState } from './machine/state.ts';
import type { PanelOptions } from './options.ts';
import { panelError } from './panel-error.ts';
import { refused } from './problems.ts';
import { sessionParameters } from './sessions.ts';

/** What a new session would start with. `undefined` if there is no workspace to ask for. */
export async function initialState(
  connection: ClientConnection,
  options: PanelOptions,
): Promise<InitialState | undefined> {
  const location = locationOf(connection, options);
  if (!location) return undefined;
  const { configOptions, commands } = await connection.sessionOptions(location);
  // A mode of version 1 cannot be sent with the opening.
  return { settings: settingsOf({ configOptions, modes: null }), commands };
}

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
export function isFault({ state }: ClientConnection, error: unknown): boolean {
  return state === 'open' && !(AcpError.is(error) && error.code === 'remote.method_not_found');
}

/** The parameter of a new session with the settings that the user has chosen. */
export function chosenSettings(
  connection: ClientConnection,
  chosen: MachineState['chosen'],
): { readonly configOptions?: readonly InitialConfigOption[] } {
  if (chosen.size === 0 || !connection.supports('session.options')) return {};
  return { configOptions: [...chosen].map(([configId, value]) => ({ configId, value })) };
}

/** @throws a refusal if a new session would not have the setting, or not the value. */
export function assertOffered(
  settings: readonly SessionSetting[] | undefined,
  settingId: string,
  value: string | boolean,
): void {
  if (!settings) throw panelError('panel.session', 'No session is open. Open one first.');
  const setting = settings.find((each) => each.settingId === settingId);
  const isOffered = setting?.choices
    ? setting.choices.some((choice) => choice.value === value)
    : setting && typeof value === 'boolean';
  if (!isOffered) throw refused('A new session does not have this setting with this value.');
}
