import type { Conversation } from '../model/conversation.ts';
import type { ConfigChoice, ConfigOption, SessionModels, SessionModes } from '../model/session.ts';

/** A setting of a session: a config option or the mode. */
export interface SessionSetting {
  /** The id that `Session.changeSetting` takes. */
  readonly settingId: string;
  readonly name: string;
  readonly description: string | null;
  /**
   * What the setting is about, such as `mode`, `model`, `thought_level` or `speed`. `null` if the agent does not report it.
   */
  readonly category: string | null;
  /** The value that the agent reported last. */
  readonly value: string | boolean;
  /** The possible values, each with the name of its group. `null` for a setting that is `true` or `false`. */
  readonly choices: readonly SessionSettingChoice[] | null;
}

/** One value that a setting can have. */
export interface SessionSettingChoice {
  readonly value: string;
  readonly name: string;
  readonly description: string | null;
  readonly group: string | null;
}

/** Id of the setting that stands for the modes of a session. */
export const modeSettingId = 'mode';

/** The setting under which a session's models appear. */
export const modelSettingId = 'model';

/**
 * The settings of a session: its mode and its model, unless a config option has the same category or id, then the
 * config options in the agent's order. Options of unknown types are omitted.
 *
 * @see https://agentclientprotocol.com/protocol/session-config-options
 */
export function settingsOf({
  configOptions,
  modes,
  models,
}: Pick<Conversation, 'configOptions' | 'modes' | 'models'>): readonly SessionSetting[] {
  const isOption = (id: string) =>
    configOptions.some(({ category, configId }) => category === id || configId === id);
  return [
    ...(modes && !isOption(modeSettingId) ? [modeSetting(modes)] : []),
    ...(models && !isOption(modelSettingId) ? [modelSetting(models)] : []),
    ...configOptions.flatMap(settingOf),
  ];
}

function modeSetting({ currentModeId, availableModes }: SessionModes): SessionSetting {
  const choices = availableModes.map(({ id, ...mode }) => ({ value: id, ...mode }));
  return ownSetting(modeSettingId, 'Mode', currentModeId, choices);
}

function modelSetting({ currentModelId, availableModels }: SessionModels): SessionSetting {
  const choices = availableModels.map(({ modelId, ...model }) => ({ value: modelId, ...model }));
  return ownSetting(modelSettingId, 'Model', currentModelId, choices);
}

/** A setting that the protocol has beside the config options. Its id is also its category. */
function ownSetting(
  settingId: string,
  name: string,
  value: string,
  available: readonly ConfigChoice[],
): SessionSetting {
  const choices = available.map(choiceIn(null));
  return { settingId, name, description: null, category: settingId, value, choices };
}

function settingOf(option: ConfigOption): SessionSetting[] {
  const { configId: settingId, name, description = null, category = null } = option;
  const base = { settingId, name, description, category };
  if (option.type === 'boolean') return [{ ...base, value: option.currentValue === true, choices: null }];
  if (option.type !== 'select') return [];
  const choices = option.options.flatMap((choice) =>
    'value' in choice ? [choiceIn(null)(choice)] : choice.options.map(choiceIn(choice.name)),
  );
  return [{ ...base, value: option.currentValue, choices }];
}

function choiceIn(group: string | null): (choice: ConfigChoice) => SessionSettingChoice {
  return ({ value, name, description = null }) => ({ value, name, description, group });
}
