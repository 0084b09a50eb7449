import { plainText, settingsOf } from 'acp-client-sdk/conversation';
import { oneLine } from './questions.mjs';

const maxSessions = 500;

/** The sessions of a directory, as the agent orders them. An item has the text to show, and what `open` gets. */
export async function sessionItems(connection, { cwd, shownId, firstPrompts }) {
  if (!connection.supports('session.list')) throw new Error('The agent does not list its sessions.');
  const items = [];
  for await (const session of connection.listSessions({ cwd })) {
    const { sessionId, title, updatedAt } = session;
    const mark = sessionId === shownId ? '●' : ' ';
    const name = oneLine(title || firstPrompts.get(sessionId) || 'Untitled');
    const facts = [name, updatedAt && timeText(updatedAt), plainText(session.cwd)];
    items.push({ label: `${mark} ${facts.filter(Boolean).join('  ')}`, args: [sessionId, session.cwd] });
    if (items.length === maxSessions) break;
  }
  if (items.length === 0) throw new Error(`The agent has no sessions in ${cwd}.`);
  return items;
}

/** The local time without seconds. Anything that is not a time is shown as it is. */
function timeText(iso) {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? oneLine(iso) : time.toLocaleString('sv').slice(0, 16);
}

/** The settings of a session, such as its mode and its model, with their values. */
export function settingItems(conversation) {
  const items = settingsOf(conversation).map((setting) => {
    const value = choicesOf(setting).find((choice) => choice.value === setting.value)?.name ?? setting.value;
    return { label: `${oneLine(setting.name)}: ${oneLine(value)}`, args: [setting.settingId] };
  });
  if (items.length === 0) throw new Error('The agent has no settings.');
  return items;
}

/** The values of a setting. */
export function valueItems(conversation, settingId) {
  const setting = settingsOf(conversation).find((other) => other.settingId === settingId);
  if (!setting) throw new Error('The agent no longer has this setting.');
  return choicesOf(setting).map(({ name, value }) => ({ label: oneLine(name), args: [settingId, value] }));
}

const choicesOf = ({ choices }) => choices ?? [true, false].map((value) => ({ name: String(value), value }));
