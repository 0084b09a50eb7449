import type { CallOptions } from '../../core/client/calls/call-options.ts';
import type { Session } from '../../core/client/session/session.ts';
import { settingsOf } from '../../core/conversation/settings.ts';
import type { Conversation } from '../../core/model/conversation.ts';
import { cleanLine } from '../../core/render/clean.ts';
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

/** The names that complete what begins with a slash: those of the commands. A skill is no text of a prompt. */
export function commandNames({ commands }: Pick<Conversation, 'commands'>): readonly string[] {
  return commands.flatMap(({ type, name }) => (type === 'command' ? [name] : []));
}

/** Rows of a table: the name of a command and its input, or of a skill, and what it does. */
export function commandRows({ commands }: Pick<Conversation, 'commands'>): readonly (readonly string[])[] {
  return commands
    .filter(({ name }) => cleanLine(name) !== '')
    .map(({ type, name, input, description }) => {
      if (type !== 'command') return [`  ${cleanLine(name)} (${cleanLine(type)})`, cleanLine(description)];
      const hint = input && 'hint' in input && input.hint ? `<${cleanLine(input.hint)}>` : '';
      return [`  ${cleanLine(`/${name.replace(/^\/+/, '')}`, hint)}`, cleanLine(description)];
    });
}
