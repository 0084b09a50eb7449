import { modeSettingId } from '../../conversation/settings.ts';
import type { ConfigOption } from '../../model/session.ts';
import type { ConversationUpdate } from '../../model/update.ts';
import type { ConfigValue } from '../../protocol/calls.ts';
import type { SessionRunner } from './runner.ts';

/** The settings of which an update gives the values, by their ids and categories. */
export function settingsIn(update: ConversationUpdate): readonly string[] {
  if (update.sessionUpdate === 'current_mode_update') return [modeSettingId];
  if (update.sessionUpdate !== 'config_option_update') return [];
  return update.configOptions.flatMap(({ configId, category }) => [configId, category ?? configId]);
}

/**
 * Waits for the answer to a change of a setting. Resolves to whether the agent has reported nothing of the setting since the
 * call was sent: only then does what was asked for count.
 *
 * @param about - The id of the setting, and its category.
 */
export async function isUnreported(runner: SessionRunner, answer: Promise<unknown>, ...about: string[]) {
  const { setup } = runner;
  let isReported = false;
  const stop = runner.updates.add((update) => {
    isReported ||= settingsIn(update).some((id) => about.includes(id));
  });
  await answer.finally(stop);
  // The answer to a call that opened the session again is a report as well.
  return !isReported && runner.setup === setup;
}

/** The options after a change that the agent confirmed without listing them. */
export function withChoice(
  configOptions: readonly ConfigOption[],
  configId: string,
  value: ConfigValue,
): readonly ConfigOption[] {
  return configOptions.map((option) =>
    // The value was checked against the option's type.
    option.configId === configId ? ({ ...option, currentValue: value } as ConfigOption) : option,
  );
}
