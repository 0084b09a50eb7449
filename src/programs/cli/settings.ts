import type { CallOptions } from '../../client/calls/call-options.ts';
import type { Session } from '../../client/session/session.ts';
import { settingsOf } from '../../conversation/settings.ts';
import type { Conversation } from '../../model/conversation.ts';
import { cleanLine } from '../../render/clean.ts';
import type { Assignment } from './options.ts';

/** Changes a setting. The library's error for a wrong setting or value lists the possible ones. */
export async function changeSetting(
  session: Session,
  { settingId, value }: Assignment,
  options: CallOptions,
): Promise<void> {
  const setting = settingsOf(session.conversation).find((known) => known.settingId === settingId);
  const isBoolean = setting?.choices === null && (value === 'true' || value === 'false');
  await session.changeSetting(settingId, isBoolean ? value === 'true' : value, options);
}

/** Rows of a table: the id and the value, the name, and the possible values. */
export function settingRows(conversation: Conversation): readonly (readonly string[])[] {
  return settingsOf(conversation).map(({ settingId, value, name, choices }) => [
    `  ${cleanLine(settingId)}=${cleanLine(value)}`,
    cleanLine(name),
    (choices?.map((choice) => choice.value) ?? ['true', 'false'])
      .map((choice) => cleanLine(choice))
      .join(', '),
  ]);
}

/** Rows of a table: the name of a command and its input, and what it does. */
export function commandRows({ commands }: Conversation): readonly (readonly string[])[] {
  return commands.map(({ name, input, description }) => {
    const hint = input && 'hint' in input && input.hint ? `<${cleanLine(input.hint)}>` : '';
    return [`  ${cleanLine(`/${name}`, hint)}`, cleanLine(description)];
  });
}
