import { settingsOf } from '../../../dist/conversation.js';
import { asksForPermission } from '../../../dist/index.js';
import { openSession } from '../editor.mjs';
import { differs, fault, partly, works } from './outcome.mjs';
import { asked, turn } from './turns.mjs';

/** Whether an agent asks with its own defaults: in a clean home, with nothing that makes it ask. */
export async function asksByDefault(context) {
  const from = context.editor.diagnostics.length;
  context.session = await context.editor.connection.newSession({ cwd: context.place.project.folder });
  for (const { settingId, value } of settingsOf(context.session.conversation))
    context.settings.set(settingId, value);
  return asks(context, 'default', from);
}

/** Whether it asks with the option `permissions` of each call. The note says which settings that changed. */
export async function asksWithOption(context) {
  const from = context.editor.diagnostics.length;
  context.session = await openSession(context);
  const changed = settingsOf(context.session.conversation).flatMap(({ settingId, value }) => {
    const before = context.settings.get(settingId);
    return before === value ? [] : [`\`${settingId}\` is \`${value}\` and not \`${before}\``];
  });
  const result = await asks(context, 'option', from);
  return { ...result, note: [...changed, result.note].filter(Boolean).join('; ') };
}

/** What is done without a question: an edit and a command. What the library knows of the agent must be true. */
async function asks(context, name, from) {
  const { editor, place, session } = context;
  const path = (kind) => place.project.path(`${kind}-${name}.txt`);
  const known = asksForPermission(editor.connection.agentInfo?.name, settingsOf(session.conversation));
  const isWarned = editor.diagnostics.slice(from).some(({ rule }) => rule === 'session.does_not_ask');
  // An agent that asks with a variable is warned of without it, and what it does is not known.
  if (known.asks !== 'unknown' && isWarned !== (known.asks === 'no'))
    return fault('the warning and asksForPermission contradict each other');
  const found = [];
  for (const [kind, prompt] of [
    ['edit', `Write this. [[write ${path('edit')}]]`],
    ['command', `Run this. [[run touch ${path('command')}]]`],
  ]) {
    const hasAsked = asked(await turn(context, prompt));
    const isDone = place.project.read(`${kind}-${name}.txt`) !== undefined;
    found.push({ kind, hasAsked, isFree: isDone && !hasAsked });
  }
  const free = found.filter(({ isFree }) => isFree).map(({ kind }) => kind);
  if ((known.asks === 'yes' && free.length > 0) || (known.asks === 'no' && free.length === 0))
    return fault(`the library says "${known.asks}", and unasked it does: ${free.join(', ') || 'nothing'}`);
  const note = [
    ...found
      .filter(({ hasAsked, isFree }) => !hasAsked && !isFree)
      .map(({ kind }) => `it does not do the ${kind}`),
    ...(known.asks === 'unknown' ? ['`asksForPermission` says `unknown`'] : []),
  ].join('; ');
  if (free.length === 0) return works(note);
  return free.length === 1
    ? partly([`the ${free} is done without a question`, note].filter(Boolean).join('; '))
    : differs(note);
}
