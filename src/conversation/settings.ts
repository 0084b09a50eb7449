import type { Conversation } from '../model/conversation.ts';
import type { ConfigChoice, ConfigOption } from '../model/session.ts';

/** One thing that the user can set in a session, wherever the agent keeps it. */
export interface Setting {
  /** What `Session.change` takes. */
  readonly settingId: string;
  readonly name: string;
  readonly description: string | null;
  /** What the setting is about, as in `mode`, `model` or `thought_level`, where the agent says. */
  readonly category: string | null;
  /** As the agent confirmed it last. */
  readonly value: string | boolean;
  /** What it can be set to; groups are named on each. `null`: `true` or `false`. */
  readonly choices: readonly SettingChoice[] | null;
}

/** One value that a setting can have. */
export interface SettingChoice {
  readonly value: string;
  readonly name: string;
  readonly description: string | null;
  readonly group: string | null;
}

/** The setting under which a session's modes appear. */
export const modeSettingId = 'mode';

/**
 * What the user can set, in the agent's order: its config options, and its modes where no config option stands for
 * them. Options of a type this library does not know are left out.
 *
 * @see https://agentclientprotocol.com/protocol/session-config-options
 */
export function settings({ configOptions, modes }: Conversation): readonly Setting[] {
  const listed = configOptions.flatMap(settingOf);
  const hasMode = configOptions.some(
    ({ category, configId }) => category === 'mode' || configId === modeSettingId,
  );
  if (!modes || hasMode) return listed;
  const mode: Setting = {
    settingId: modeSettingId,
    name: 'Mode',
    description: null,
    category: 'mode',
    value: modes.currentModeId,
    choices: modes.availableModes.map(({ id, name, description = null }) => ({
      value: id,
      name,
      description,
      group: null,
    })),
  };
  return [mode, ...listed];
}

function settingOf(option: ConfigOption): Setting[] {
  const { configId: settingId, name, description = null, category = null } = option;
  const base = { settingId, name, description, category };
  if (option.type === 'boolean') return [{ ...base, value: option.currentValue === true, choices: null }];
  if (option.type !== 'select') return [];
  const choices = option.options.flatMap((choice) =>
    'value' in choice
      ? [choiceOf(choice, null)]
      : choice.options.map((inGroup) => choiceOf(inGroup, choice.name)),
  );
  return [{ ...base, value: option.currentValue, choices }];
}

function choiceOf({ value, name, description = null }: ConfigChoice, group: string | null): SettingChoice {
  return { value, name, description, group };
}
