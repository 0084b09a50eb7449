import { settingsOf } from '../../../dist/conversation.js';
import { asksForPermission } from '../../../dist/index.js';
import { openSession } from '../editor.mjs';
import { differs, fault, lacks, works } from './outcome.mjs';
import { asked, turn } from './turns.mjs';

/**
 * Whether an agent asks before it writes a file, in a session that was opened without the option `permissions`. What the
 * library knows of it must be true.
 */
export async function asksByItself(context) {
  const { editor, place } = context;
  const { connection, diagnostics } = editor;
  const session = await connection.newSession({ cwd: place.project.folder });
  context.session = session;
  const settings = settingsOf(session.conversation);
  const { asks } = asksForPermission(connection.agentInfo?.name, settings);
  const isWarned = diagnostics.some(({ rule }) => rule === 'session.does_not_ask');
  if (asks !== 'unknown' && isWarned !== (asks === 'no'))
    return fault('the warning and asksForPermission contradict each other');
  const said = await turn(context, `Write without a question. [[write ${place.project.path('open.txt')}]]`);
  const does = asked(said) ? 'yes' : 'no';
  if (asks !== 'unknown' && asks !== does)
    return fault(`the library says "${asks}", and the agent does "${does}"`);
  if (does === 'yes') return works(asks === 'unknown' ? 'the library does not know it' : '');
  if (asks === 'unknown') return differs('it does not ask, and the library does not know it');
  const asking = settingsOf((await openSession(context)).conversation);
  const changed = settings.flatMap(({ settingId, value }) => {
    const other = asking.find((setting) => setting.settingId === settingId)?.value;
    return other === value ? [] : [`\`${settingId}\` is \`${value}\`, and \`${other}\` with the option`];
  });
  return changed.length > 0 ? differs(changed.join('; ')) : lacks('it never asks');
}
