import { plainText } from 'acp-client-sdk/conversation';
import { oneLine } from './questions.mjs';

const maxSessions = 500;

/** The sessions of a directory, as the agent orders them. An item has the text to show, and what `open` gets. */
export async function sessionItems(connection, cwd, shownId) {
  if (!connection.supports('session.list')) throw new Error('The agent does not list its sessions.');
  const items = [];
  for await (const { sessionId, title, updatedAt, ...session } of connection.listSessions({ cwd })) {
    const mark = sessionId === shownId ? '●' : ' ';
    const facts = [oneLine(title || sessionId), updatedAt && timeText(updatedAt), plainText(session.cwd)];
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
